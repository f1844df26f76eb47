/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sample-pace.h: takes fewer samples in a thread that allocates fast.
 */
#ifndef MEMPROF_SAMPLE_PACE_H
#define MEMPROF_SAMPLE_PACE_H

#include "memprof_internal.h"

void mp_pace_set(unsigned int samples);
uint64_t mp_pace_now(const MemProfThreadState *thread, uint64_t rate);
uint64_t mp_pace_rate(MemProfThreadState *thread, uint64_t rate, uint64_t now_ns);

#endif
