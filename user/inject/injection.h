/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * injection: the steps of an injection, in the child that does it
 */
#ifndef MP_INJECTION_H
#define MP_INJECTION_H

#include "inject.h"
#include "inject-target.h"

/**
 * mp_injection_do - put the library into a process, or take it out
 * @target: in: @pid, @memory and @machine
 * @options: what to load; NULL: take it out
 * @result: out
 *
 * This process may be killed at any time: then the borrowed thread goes home.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_injection_do(struct mp_inject_target *target,
		    const struct mp_inject_options *options,
		    struct mp_injection *result, struct mp_diag *diag);

#endif
