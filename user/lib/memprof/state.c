// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * state.c: holds the state of the sampler that belongs to the process. It calls no
 * other part of the library. The state of threads is in thread-table.c.
 */
#include "bloom.h"
#include "confinement.h"

#include <string.h>

/*
 * The two Bloom filters. They are zero before they are initialized, so an early free
 * can already test them.
 */
uint64_t mp_bloom_filters[2][MP_BLOOM_WORDS] __attribute__((aligned(4096)));

MemProfGlobalState g_memprof = {
	.bloom_filter_ptr = (_Atomic uint8_t *)mp_bloom_filters,
};

enum mp_confinement mp_confinement __attribute__((visibility("hidden")));

void mp_state_begin(void)
{
	const size_t begin = offsetof(MemProfGlobalState, total_frees_tracked);

	memset((char *)&g_memprof + begin, 0,
	       offsetof(MemProfGlobalState, platform_state) - begin);
}
