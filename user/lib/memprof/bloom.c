// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * May this address be a sampled block? The only thing that every free asks.
 *
 * All bits of an address are in one 64-bit word: one cache line, and the first of
 * them says no to nearly all. Multiplied by the golden ratio, so that the upper
 * bits depend on all lower ones, however the addresses are aligned.
 *
 * Allocators give the same address again and again, so a block that was freed must
 * not be asked for ever after: a word counts its blocks, up to 14, and is cleared
 * when the last one goes. What stays behind in words that are never empty is left
 * out when the filter is built anew from the live table: when it is an eighth full,
 * by a thread that samples, never by one that only allocates. Nobody knows who
 * still reads the old one, and therefore it is filled with ones: who reads it late
 * goes to the table for nothing, but never misses a block.
 */
#include "bloom.h"

#include "bootstrap.h"
#include "drop-counter.h"
#include "heap-map.h"
#include "own-syscall.h"

#include <stdatomic.h>
#include <string.h>

#define NR_WORDS	MP_BLOOM_WORDS
/* An eighth: 1 of 1,000 unsampled frees or fewer then looks into the table. */
#define CROWDED_ONES	(BLOOM_SIZE_BITS / 8)

#define COUNT_SHIFT	60
#define COUNT_ONE	(1ULL << COUNT_SHIFT)
/* Not known any more: such a word is never cleared. */
#define COUNT_UNKNOWN	(15ULL << COUNT_SHIFT)
#define OTHER_BITS	(COUNT_SHIFT - MP_BLOOM_FIRST_BITS)

_Static_assert(NR_WORDS && !(NR_WORDS & (NR_WORDS - 1)), "a power of two");

/* Two filters in state.c take turns; the next one is built here. */
static uint64_t built[NR_WORDS] __attribute__((aligned(4096)));
/* Blocks that were born later than this are counted in the filter. */
static uint64_t counted_from[2];

/* g_memprof.bloom_rebuild_in_progress */
enum { IDLE, CLEARING, BUILDING };

/* Three bits of the upper part; six bits of the hash each. */
static uint64_t mask(uint64_t hash)
{
	uint64_t bits = 1ULL << mp_bloom_first(hash);
	int i;

	for (i = 1; i < BLOOM_HASH_COUNT; i++)
		bits |= 1ULL << (MP_BLOOM_FIRST_BITS +
				 (hash >> (MP_BLOOM_FIRST_SHIFT - 6 * i) & 63) *
				 OTHER_BITS / 64);
	return bits;
}

static uint64_t *current(void)
{
	return (uint64_t *)atomic_load(&g_memprof.bloom_filter_ptr);
}

static void publish(uint64_t *filter)
{
	atomic_store(&g_memprof.bloom_filter_ptr, (_Atomic uint8_t *)filter);
}

static bool change(uint64_t *word, uint64_t *from, uint64_t to)
{
	return __atomic_compare_exchange_n(word, from, to, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Returns how many bits are new. @count: COUNT_ONE or COUNT_UNKNOWN. */
static int set(uint64_t *filter, uintptr_t ptr, uint64_t count)
{
	uint64_t hash = mp_bloom_hash(ptr), bits = mask(hash), with;
	uint64_t *word = &filter[mp_bloom_word(hash)];
	uint64_t old = __atomic_load_n(word, __ATOMIC_SEQ_CST);

	do {
		with = old | bits | count;
		if (count == COUNT_ONE)
			with = (old | bits) + (old < COUNT_UNKNOWN ? count : 0);
	} while (!change(word, &old, with));
	return __builtin_popcountll(bits & ~old);
}

static void keep(uintptr_t ptr)
{
	set(current(), ptr, COUNT_UNKNOWN);
}

static void keep_building(uintptr_t ptr)
{
	set(built, ptr, COUNT_UNKNOWN);
}

/* Drops the pages: they are zero again. */
static void clear(uint64_t *filter)
{
	if (BLOOM_SIZE_BYTES % 4096 ||
	    mp_own_madvise(filter, BLOOM_SIZE_BYTES, MADV_DONTNEED))
		memset(filter, 0, BLOOM_SIZE_BYTES);
}

/* Forgets everything. Nobody else may add or rebuild: at start, and after a fork. */
int bloom_init(void)
{
	clear(mp_bloom_filters[0]);
	clear(mp_bloom_filters[1]);
	memset(counted_from, 0, sizeof(counted_from));
	g_memprof.bloom_adds = 0;
	g_memprof.bloom_ones_count = 0;
	g_memprof.bloom_rebuild_in_progress = IDLE;
	publish(mp_bloom_filters[0]);
	mp_bootstrap_each(keep);
	return 0;
}

/*
 * The block is in the live table already. Either the rebuild is seen to be going on
 * here, or it began later and finds the block there. What is built comes first:
 * copy_word() looks at it again after it wrote.
 */
void bloom_add(uintptr_t ptr)
{
	int i;

	g_memprof.bloom_adds += 1;
	if (g_memprof.bloom_rebuild_in_progress != BUILDING) {
		g_memprof.bloom_ones_count += set(current(), ptr, COUNT_ONE);
		/* partner: the store in bloom_rebuild_from_heap() */
		if (g_memprof.bloom_rebuild_in_progress != BUILDING)
			return;
	}
	g_memprof.bloom_ones_count += set(built, ptr, COUNT_ONE);
	for (i = 0; i < 2; i++)
		set(mp_bloom_filters[i], ptr, COUNT_ONE);
}

/**
 * mp_bloom_remove() - a block that was added is gone
 * @ptr: it
 * @birth_seq: of the block; of an older one than the filter nobody knows whether
 *	its word counts it
 */
void mp_bloom_remove(uintptr_t ptr, uint64_t birth_seq)
{
	uint64_t hash = mp_bloom_hash(ptr), *filter = current(), old, without;
	uint64_t *word = &filter[mp_bloom_word(hash)];

	if (birth_seq <= __atomic_load_n(&counted_from[filter == mp_bloom_filters[1]],
					 __ATOMIC_SEQ_CST))
		return;
	old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
	do {
		/* what is not current any more is full of ones, or soon will be */
		if (old < COUNT_ONE || old >= COUNT_UNKNOWN || filter != current())
			return;
		without = old - COUNT_ONE;
		if (without < COUNT_ONE)
			without = 0;
	} while (!change(word, &old, without));
	if (!without)
		g_memprof.bloom_ones_count -=
			__builtin_popcountll(old & (COUNT_ONE - 1));
}

int bloom_might_contain(uintptr_t ptr)
{
	uint64_t hash = mp_bloom_hash(ptr), *filter = current();

	return !(mask(hash) & ~__atomic_load_n(&filter[mp_bloom_word(hash)],
					       __ATOMIC_RELAXED));
}

/* From ones to what was built; whoever adds meanwhile is not lost, but not counted
 * for sure either.
 */
static void copy_word(uint64_t *to, uint64_t *from)
{
	uint64_t bits = __atomic_load_n(from, __ATOMIC_SEQ_CST), later;

	__atomic_store_n(to, bits ? bits | COUNT_UNKNOWN : 0, __ATOMIC_SEQ_CST);
	later = __atomic_load_n(from, __ATOMIC_SEQ_CST);
	if (later & ~bits)
		__atomic_fetch_or(to, later | COUNT_UNKNOWN, __ATOMIC_SEQ_CST);
}

static void fill_with_ones(uint64_t *filter)
{
	uint32_t i;

	for (i = 0; i < NR_WORDS; i++)
		__atomic_store_n(&filter[i], UINT64_MAX, __ATOMIC_RELAXED);
}

static uint32_t build(void)
{
	uint32_t i, nr = mp_heap_map_slots(), ones = 0;
	uintptr_t ptr;

	for (i = 0; i < nr; i++) {
		ptr = mp_heap_map_at(i);
		if (ptr)
			ones += set(built, ptr, COUNT_UNKNOWN);
	}
	mp_bootstrap_each(keep_building);
	return ones;
}

int bloom_rebuild_from_heap(void)
{
	uint64_t *old = current();
	int idle = IDLE, other = old != mp_bloom_filters[1];
	uint64_t *new = mp_bloom_filters[other];
	uint32_t i, ones;

	if (!atomic_compare_exchange_strong(
			&g_memprof.bloom_rebuild_in_progress, &idle, CLEARING))
		return -1;
	/* who still adds to it for the last rebuild is in the live table */
	clear(built);
	g_memprof.bloom_rebuild_in_progress = BUILDING;
	/* a barrier: the live table is read after this; partner: bloom_add() */
	g_memprof.bloom_adds += 0;
	/* those born later add themselves to what is built */
	__atomic_store_n(&counted_from[other], mp_heap_map_seq(),
			 __ATOMIC_SEQ_CST);
	ones = build();
	for (i = 0; i < NR_WORDS; i++)
		copy_word(&new[i], &built[i]);
	publish(new);
	fill_with_ones(old);
	g_memprof.bloom_adds = 0;
	g_memprof.bloom_ones_count = ones;
	mp_drop_count(MP_COUNT_bloom_rebuilds);
	g_memprof.bloom_rebuild_in_progress = IDLE;
	return 0;
}

/* It pays when much of what is in there has been freed. */
bool mp_bloom_is_crowded(void)
{
	return g_memprof.bloom_ones_count > CROWDED_ONES &&
	       g_memprof.bloom_adds > mp_heap_map_live();
}
