/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * request: sends requests to the collector
 */
#ifndef MP_REQUEST_H
#define MP_REQUEST_H

#include "command.h"
#include "diag.h"
#include "profile.h"

#include <time.h>

/**
 * mp_request - send a request to the collector and read the answer
 * @verb: the request
 * @profile: the answer; free it also after an error
 *
 * After "stop" it waits until the session has ended.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_request(const char *verb, struct mp_profile *profile,
	       struct mp_diag *diag);

/** mp_request_session_runs - check whether there is a session that this user can see */
bool mp_request_session_runs(void);

/** mp_request_session_begin - when that session began, CLOCK_REALTIME; 0: not known */
time_t mp_request_session_begin(void);

/**
 * mp_request_if_running - send a request if there is a session
 * @running: out: true if there is a session that can be reached
 *
 * Return: 0, also without a session; or a negative errno with the reason in
 * @diag.
 */
int mp_request_if_running(const char *verb, struct mp_profile *profile,
			  bool *running, struct mp_diag *diag);

/** struct mp_request_flag - the option of a verb that mp_request_run() runs */
struct mp_request_flag {
	bool given;
};

/**
 * mp_request_run - run a verb that is one request and has one option without a
 * value
 * @command: the verb; its name is the request
 * @show: prints the answer; @flag is true if the option was given
 *
 * Return: the exit status.
 */
int mp_request_run(const struct mp_command *command, int argc, char **argv,
		   void (*show)(struct mp_profile *profile, bool flag));

/** mp_request_bad_dir - report a failed mp_control_init() in @diag. Return: @err */
int mp_request_bad_dir(int err, struct mp_diag *diag);

#endif
