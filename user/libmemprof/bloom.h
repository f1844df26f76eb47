/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of the Bloom filter's test that is in every free. */
#ifndef MEMPROF_BLOOM_H
#define MEMPROF_BLOOM_H

#include "memprof_internal.h"

#include <stdatomic.h>

#define MP_BLOOM_WORDS		(BLOOM_SIZE_BITS / 64)
/* The uppermost bits of the hash choose the word, those below them its bits. */
#define MP_BLOOM_WORD_SHIFT	(64 - __builtin_ctz(MP_BLOOM_WORDS))
#define MP_BLOOM_FIRST_BIT	(MP_BLOOM_WORD_SHIFT - 6)

static inline uint64_t mp_bloom_hash(uintptr_t ptr)
{
	return (uint64_t)ptr * 0x9e3779b97f4a7c15ULL;
}

static inline uint32_t mp_bloom_word(uint64_t hash)
{
	return hash >> MP_BLOOM_WORD_SHIFT;
}

/* One bit of four: false is sure. There is a filter from the first sample on. */
static inline bool mp_bloom_first_bit(uintptr_t ptr)
{
	const uint64_t *filter = (const uint64_t *)
		atomic_load_explicit(&g_memprof.bloom_filter_ptr,
				     memory_order_acquire);
	uint64_t hash = mp_bloom_hash(ptr);

	return __atomic_load_n(&filter[mp_bloom_word(hash)], __ATOMIC_RELAXED) >>
	       (hash >> MP_BLOOM_FIRST_BIT & 63) & 1;
}

bool mp_bloom_is_crowded(void);

#endif
