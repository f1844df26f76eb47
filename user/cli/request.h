/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * request: a verb put to the collector
 */
#ifndef MP_REQUEST_H
#define MP_REQUEST_H

#include "command.h"
#include "profile.h"

/**
 * mp_request - ask the collector, or say why that failed
 * @verb: the request
 * @profile: the answer; the caller frees it in any case
 *
 * Waits, after "stop", until the session is gone.
 *
 * Return: 0, or MP_EXIT_FAILURE and a message was printed.
 */
int mp_request(const char *verb, struct mp_profile *profile);

/**
 * mp_request_if_running - the same, where a session can be reached
 * @running: out: whether that is so; if not, nothing is printed
 *
 * Return: 0, or MP_EXIT_FAILURE and a message was printed.
 */
int mp_request_if_running(const char *verb, struct mp_profile *profile,
			  bool *running);

/**
 * mp_request_run - a verb that is one request and one flag
 * @command: its name is the request
 * @show: prints the answer; @flag: whether the option was given
 *
 * Return: the exit status.
 */
int mp_request_run(const struct mp_command *command, int argc, char **argv,
		   void (*show)(struct mp_profile *profile, bool flag));

/**
 * mp_request_bad_dir - say why mp_control_init() failed
 *
 * Return: MP_EXIT_FAILURE.
 */
int mp_request_bad_dir(int err);

#endif
