/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bloom.h: the Bloom filter of sampled blocks. The first step of its test is inline,
 * because every free executes it.
 */
#ifndef MEMPROF_BLOOM_H
#define MEMPROF_BLOOM_H

#include "memprof_internal.h"

#include <stdatomic.h>

#define MP_BLOOM_WORDS		(BLOOM_SIZE_BITS / 64)
/*
 * All blocks of a page have one word, and pages side by side have words side by side: a line
 * of the cache serves 32 KB of memory. The uppermost bits of the hash choose the first bit.
 */
#define MP_BLOOM_PAGE_SHIFT	12
#define MP_BLOOM_FIRST_SHIFT	(64 - 5)
/*
 * Number of low bits in a word for the bit that is tested first. The other three bits
 * of an address are above them. The uppermost four bits of the word are the count.
 */
#define MP_BLOOM_FIRST_BITS	32

extern uint64_t mp_bloom_filters[2][MP_BLOOM_WORDS]
	__attribute__((visibility("hidden")));

static inline uint64_t mp_bloom_hash(uintptr_t ptr)
{
	return (uint64_t)ptr * 0x9e3779b97f4a7c15ULL;
}

/* Arenas of glibc's threads begin at multiples of 64 MB: they are 512 words apart. */
static inline uint32_t mp_bloom_word(uintptr_t ptr)
{
	const uint32_t page = (uint32_t)ptr >> MP_BLOOM_PAGE_SHIFT;

	return (page + (page >> 5)) & (MP_BLOOM_WORDS - 1);
}

static inline uint32_t mp_bloom_first(uint64_t hash)
{
	return hash >> MP_BLOOM_FIRST_SHIFT;
}

/*
 * Tests the first of an address's four bits. If the result is false, the address is
 * certainly not a sampled block.
 */
static inline bool mp_bloom_first_bit(uintptr_t ptr)
{
	const uint64_t *filter = (const uint64_t *)
		atomic_load_explicit(&g_memprof.bloom_filter_ptr,
				     memory_order_acquire);

	return (uint32_t)__atomic_load_n(&filter[mp_bloom_word(ptr)],
					 __ATOMIC_RELAXED) >>
	       mp_bloom_first(mp_bloom_hash(ptr)) & 1;
}

void mp_bloom_remove(uintptr_t ptr, uint64_t birth_seq);
bool mp_bloom_is_crowded(void);

#endif
