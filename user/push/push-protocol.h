/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * push-protocol: what the agent and the program that sends its profiles say to each other
 *
 * The program begins with two descriptors: its settings, and a socket of packets. The agent
 * sends one job at a time, with a descriptor of the file. The program answers it.
 */
#ifndef MP_PUSH_PROTOCOL_H
#define MP_PUSH_PROTOCOL_H

#include <stdint.h>

/* Name of the program */
#define MP_PUSH_PROGRAM		"memprof-push"

/* Its descriptors */
#define MP_PUSH_SETTINGS	3
#define MP_PUSH_SOCKET		4

/* Limit of the settings, which are JSON */
#define MP_PUSH_MAX_SETTINGS	(1 << 20)

#define MP_PUSH_TEXT_SIZE	256

/**
 * struct mp_push_job - a profile to send
 * @number: name of the job
 * @from_s, @until_s: time that the profile is of, CLOCK_REALTIME
 * @bytes: size of the file that comes with it
 */
struct mp_push_job {
	uint64_t number;
	uint64_t from_s, until_s;
	uint64_t bytes;
};

/**
 * enum mp_push_result - what became of a job
 * @MP_PUSH_SENT: the far end took it
 * @MP_PUSH_REFUSED: it will never take it
 * @MP_PUSH_DELAYED: the program tries again later; another answer follows
 */
enum mp_push_result {
	MP_PUSH_SENT,
	MP_PUSH_REFUSED,
	MP_PUSH_DELAYED,
};

/**
 * struct mp_push_answer - what became of a job
 * @number: of the job
 * @result: enum mp_push_result
 * @text: why, if it was not sent; a stranger's
 */
struct mp_push_answer {
	uint64_t number;
	uint32_t result;
	char text[MP_PUSH_TEXT_SIZE];
};

#endif
