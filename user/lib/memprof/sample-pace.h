/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sample-pace.h: takes fewer samples of who allocates fast.
 */
#ifndef MEMPROF_SAMPLE_PACE_H
#define MEMPROF_SAMPLE_PACE_H

#include "memprof_internal.h"

#include <stdbool.h>

void mp_pace_set(unsigned int samples);
struct mp_pace_site *mp_pace_site(MemProfThreadState *thread, uintptr_t caller, uintptr_t stack,
				  size_t size);
uint64_t mp_pace_countdown(const MemProfThreadState *thread, uint64_t rate);
uint64_t mp_pace_distance(const MemProfThreadState *thread, const struct mp_pace_site *site,
			  uint64_t rate);
void mp_pace_note(MemProfThreadState *thread, struct mp_pace_site *site, bool is_sampled,
		  uint64_t now_ns);

#endif
