/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture-reason: says in plain words why the agent made a capture
 */
#ifndef MP_CAPTURE_REASON_H
#define MP_CAPTURE_REASON_H

#include "captures.h"

/* Enough for each reason. */
#define MP_CAPTURE_REASON_SIZE	512

/**
 * mp_capture_reason - write what happened, as a sentence whose subject is the cgroup
 * @text: out: printable; MP_CAPTURE_REASON_SIZE bytes are enough
 */
void mp_capture_reason(const struct mp_capture *capture, char *text, size_t size);

#endif
