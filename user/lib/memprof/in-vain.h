/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * in-vain.h: remembers frees that were looked up in vain.
 *
 * Where a sampled block lives in a page, bits of other samples stay in the Bloom filter's word of
 * that page. A program allocates its temporary blocks at the same addresses again and again: if
 * one of these was sampled once, all frees of it pass the filter, until the next rebuild. Of a
 * service with four threads, a million frees a second did, each of which took 0.2 us.
 */
#ifndef MEMPROF_IN_VAIN_H
#define MEMPROF_IN_VAIN_H

#include <stdbool.h>
#include <stdint.h>

#define MP_IN_VAIN_ENTRIES	512

/*
 * An address, and the number of the latest sampled block when it was looked up. @key is the
 * address and that number together, so half of one entry and half of another one are none.
 */
struct mp_in_vain {
	uint64_t key, seq;
};

extern struct mp_in_vain mp_in_vain[MP_IN_VAIN_ENTRIES] __attribute__((visibility("hidden")));

static inline struct mp_in_vain *mp_in_vain_entry(uintptr_t ptr)
{
	return &mp_in_vain[ptr * 0x9e3779b97f4a7c15ULL >> 32 & (MP_IN_VAIN_ENTRIES - 1)];
}

static inline uint64_t mp_in_vain_key(uintptr_t ptr, uint64_t seq)
{
	return ptr ^ (seq * 0xff51afd7ed558ccdULL);
}

/* Whether the address was looked up in vain, and no block was sampled since. */
static inline bool mp_in_vain_is(uintptr_t ptr, uint64_t seq)
{
	const struct mp_in_vain *entry = mp_in_vain_entry(ptr);

	return __atomic_load_n(&entry->seq, __ATOMIC_RELAXED) == seq &&
	       __atomic_load_n(&entry->key, __ATOMIC_RELAXED) == mp_in_vain_key(ptr, seq);
}

/* @seq: mp_heap_map_seq() before the address was looked up */
static inline void mp_in_vain_note(uintptr_t ptr, uint64_t seq)
{
	struct mp_in_vain *entry = mp_in_vain_entry(ptr);

	__atomic_store_n(&entry->seq, seq, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->key, mp_in_vain_key(ptr, seq), __ATOMIC_RELAXED);
}

#endif
