/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bloom.h: the first step of the Bloom filter's test, which every free executes
 * inline.
 */
#ifndef MEMPROF_BLOOM_H
#define MEMPROF_BLOOM_H

#include "memprof_internal.h"

#include <stdatomic.h>

#define MP_BLOOM_WORDS		(BLOOM_SIZE_BITS / 64)
/* The uppermost bits of the hash choose the word, those below them its bits. */
#define MP_BLOOM_WORD_SHIFT	(64 - __builtin_ctz(MP_BLOOM_WORDS))
#define MP_BLOOM_FIRST_SHIFT	(MP_BLOOM_WORD_SHIFT - 5)
/*
 * Bits of a word that are tested first. The other three hash bits use the rest,
 * and the uppermost four bits are the count.
 */
#define MP_BLOOM_FIRST_BITS	32

extern uint64_t mp_bloom_filters[2][MP_BLOOM_WORDS]
	__attribute__((visibility("hidden")));

static inline uint64_t mp_bloom_hash(uintptr_t ptr)
{
	return (uint64_t)ptr * 0x9e3779b97f4a7c15ULL;
}

static inline uint32_t mp_bloom_word(uint64_t hash)
{
	return hash >> MP_BLOOM_WORD_SHIFT;
}

static inline uint32_t mp_bloom_first(uint64_t hash)
{
	return hash >> MP_BLOOM_FIRST_SHIFT & (MP_BLOOM_FIRST_BITS - 1);
}

/*
 * Tests one bit of four. False means that the address is certainly not sampled.
 */
static inline bool mp_bloom_first_bit(uintptr_t ptr)
{
	const uint64_t *filter = (const uint64_t *)
		atomic_load_explicit(&g_memprof.bloom_filter_ptr,
				     memory_order_acquire);
	uint64_t hash = mp_bloom_hash(ptr);

	return (uint32_t)__atomic_load_n(&filter[mp_bloom_word(hash)],
					 __ATOMIC_RELAXED) >>
	       mp_bloom_first(hash) & 1;
}

void mp_bloom_remove(uintptr_t ptr, uint64_t birth_seq);
bool mp_bloom_is_crowded(void);

#endif
