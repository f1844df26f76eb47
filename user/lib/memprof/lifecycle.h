/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lifecycle.h: ends sampling, and prepares another start. memprof_init() and others are
 * in memprof.h.
 */
#ifndef MEMPROF_LIFECYCLE_H
#define MEMPROF_LIFECYCLE_H

#pragma GCC visibility push(hidden)

void mp_sampling_reset(void);
void mp_sampling_end(void);

#pragma GCC visibility pop

#endif
