/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampled.h: records an allocation whose countdown ended, and its free.
 */
#ifndef MEMPROF_SAMPLED_H
#define MEMPROF_SAMPLED_H

#include "heap-map.h"
#include "stack-walk.h"

void mp_sample_alloc(void *p, size_t size, uint32_t kind,
		     struct mp_registers regs);
void mp_sample_free(void *p);
bool mp_sample_take(void *p, struct mp_exact *exact);
void mp_sample_put_back(void *p, const struct mp_exact *exact);
void mp_sample_freed(void *p, const struct mp_exact *exact);
void mp_sample_not_freed(void *p, const struct mp_exact *exact);

#endif
