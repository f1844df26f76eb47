/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session-start: starts sessions, for start and for verbs that have one of their own
 */
#ifndef MP_SESSION_START_H
#define MP_SESSION_START_H

#include "profile.h"
#include "record-options.h"

#include <sys/types.h>

/**
 * mp_session_start - start a session and its collector process
 * @verb: the verb, for messages
 * @bound: the session ends with this process
 * @meta: out: the state of the session
 *
 * Return: 0, or an exit status after a message.
 */
int mp_session_start(const char *verb, const struct mp_record_options *options,
		     bool bound, struct mp_meta *meta);

/** mp_session_pid - process of the session that was started last; 0: none */
pid_t mp_session_pid(void);

/**
 * mp_session_start_own - start a session that only this process knows
 *
 * Requests of this process then go to it. It ends soon after this process, also if that
 * is killed.
 *
 * Return: 0, or an exit status after a message.
 */
int mp_session_start_own(const char *verb, const struct mp_record_options *options);

#endif
