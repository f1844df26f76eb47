/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * injector: does an injection in a child with bounds
 */
#ifndef MP_INJECTOR_H
#define MP_INJECTOR_H

#include "inject.h"
#include "inject-target.h"

/**
 * mp_injector_run - put the library into a process, or take it out
 * @target: in: @pid, @memory and @machine
 * @options: what to load; NULL: take it out
 * @result: out
 *
 * If the child fails, or takes too long, it is killed. Its thread goes home then.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_injector_run(struct mp_inject_target *target,
		    const struct mp_inject_options *options,
		    struct mp_injection *result, struct mp_diag *diag);

#endif
