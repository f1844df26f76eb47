/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which allocations are sampled, and what they stand for. */
#ifndef MEMPROF_SAMPLER_H
#define MEMPROF_SAMPLER_H

#include "memprof_internal.h"

/* Units of numbers of objects. */
#define MP_ONE_OBJECT	(1ULL << 16)

void mp_sampler_seed(MemProfThreadState *thread, uint64_t seed);
void mp_sampler_draw(MemProfThreadState *thread, uint64_t rate);
bool mp_sampler_decide(MemProfThreadState *thread, uint64_t rate, size_t size);
uint64_t mp_sampler_weight_bytes(uint64_t rate, uint64_t size);
uint64_t mp_sampler_weight_objects(uint64_t weight_bytes, uint64_t size);
uint64_t mp_sampler_rate_valid(uint64_t rate);

#endif
