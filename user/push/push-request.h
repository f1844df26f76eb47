/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * push-request: posts a file to the far end, and reads what the answer means
 */
#ifndef MP_PUSH_REQUEST_H
#define MP_PUSH_REQUEST_H

#include "push-protocol.h"

#include <stdbool.h>

/**
 * struct mp_push_outcome - what became of a request
 * @result: enum mp_push_result
 * @retry_after_s: time that the far end asked for before the next attempt; 0: none
 * @text: why it was not sent
 */
struct mp_push_outcome {
	enum mp_push_result result;
	uint64_t retry_after_s;
	char text[MP_PUSH_TEXT_SIZE];
};

/**
 * mp_push_request_init - read the settings, and prepare requests
 * @settings: JSON of the agent
 *
 * Return: false if the settings are of no use.
 */
bool mp_push_request_init(const char *settings);

/**
 * mp_push_request_send - post a file once
 * @file: its contents are the body
 */
void mp_push_request_send(const struct mp_push_job *job, int file,
			  struct mp_push_outcome *outcome);

#endif
