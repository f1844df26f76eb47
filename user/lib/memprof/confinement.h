/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * confinement.h: tells whether the host has confined itself by seccomp.
 */
#ifndef MEMPROF_CONFINEMENT_H
#define MEMPROF_CONFINEMENT_H

#include <stdbool.h>

/*
 * MP_CONFINED: the host may have a seccomp filter. MP_STRICT: the sampler must
 * not make any system call.
 */
enum mp_confinement { MP_FREE, MP_CONFINED, MP_STRICT };

/*
 * Written by the prctl() hook. There is one value for the process, although its
 * threads can have different filters.
 */
extern enum mp_confinement mp_confinement;

static inline bool mp_is_strict(void)
{
	return __builtin_expect(__atomic_load_n(&mp_confinement, __ATOMIC_RELAXED) ==
				MP_STRICT, 0);
}

#endif
