/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * request: a verb put to the collector
 */
#ifndef MP_REQUEST_H
#define MP_REQUEST_H

#include "command.h"
#include "diag.h"
#include "profile.h"

/**
 * mp_request - ask the collector
 * @verb: the request
 * @profile: the answer; the caller frees it in any case
 *
 * Waits, after "stop", until the session is gone.
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_request(const char *verb, struct mp_profile *profile,
	       struct mp_diag *diag);

/**
 * mp_request_if_running - the same, where a session can be reached
 * @running: out: whether that is so; if not, nothing is printed
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_request_if_running(const char *verb, struct mp_profile *profile,
			  bool *running, struct mp_diag *diag);

/**
 * mp_request_run - a verb that is one request and one flag
 * @command: its name is the request
 * @show: prints the answer; @flag: whether the option was given
 *
 * Return: the exit status.
 */
int mp_request_run(const struct mp_command *command, int argc, char **argv,
		   void (*show)(struct mp_profile *profile, bool flag));

/** mp_request_bad_dir - fill in @diag for a failed mp_control_init(). Return: @err */
int mp_request_bad_dir(int err, struct mp_diag *diag);

#endif
