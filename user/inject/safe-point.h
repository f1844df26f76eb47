/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * safe-point: whether a stopped thread may call dlopen() where it is
 */
#ifndef MP_SAFE_POINT_H
#define MP_SAFE_POINT_H

#include "thread-stop.h"

#define MP_SAFE_POINT_WHY	160

/** struct mp_unwinder - reads the stacks of the target's threads */
struct mp_unwinder;

/**
 * mp_unwinder_new - open all files that are needed to read stacks
 *
 * Costs 1 to 200 ms. Has to be done before a thread is stopped.
 *
 * Return: the unwinder, or NULL with the reason in @diag.
 */
struct mp_unwinder *mp_unwinder_new(const struct mp_inject_target *target,
				    struct mp_diag *diag);

/** mp_unwinder_free - free an unwinder */
void mp_unwinder_free(struct mp_unwinder *unwinder);

/**
 * mp_safe_point_check - whether a thread holds no lock that dlopen() or malloc() needs
 * @why: out: reason, MP_SAFE_POINT_WHY bytes
 *
 * The thread may not be inside an allocator, the dynamic loader, libmemprof, a signal
 * handler, or a function of the C library that is not known to be harmless.
 */
bool mp_safe_point_check(struct mp_unwinder *unwinder,
			 const struct mp_stopped_thread *thread, char *why);

#endif
