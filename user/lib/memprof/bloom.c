// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * bloom.c: the Bloom filter, which tests for each free whether the address may
 * be a sampled block.
 *
 * All bits of an address are in one 64-bit word, so a test reads one cache
 * line. The first bit already rejects nearly all addresses. The page of an
 * address chooses the word, so what a program frees together is in few cache
 * lines: with words chosen by a hash, a free of Python's lists took three times
 * as long. The bits in the word are chosen by a hash, a multiplication by the
 * golden ratio: the upper bits depend on all lower bits, for every alignment.
 * Where several blocks in each page are sampled, most frees in these pages pass
 * the filter; but then most of the time is spent on samples.
 *
 * Allocators reuse addresses, so a freed block must be removed from the filter.
 * Each word counts its blocks, up to 14, and is cleared when the count reaches
 * 0. Stale bits remain in words that never become empty; in-vain.h makes them cheap. A rebuild
 * from the table of live blocks removes them. It runs when an eighth of the bits is set,
 * or many frees passed the filter in vain, and only in a thread that samples.
 *
 * After a rebuild a thread may still read the old filter. Therefore the old
 * filter is filled with ones: then such a thread searches the table for each
 * free, but never misses a block.
 */
#include "bloom.h"

#include "bootstrap.h"
#include "confinement.h"
#include "drop-counter.h"
#include "heap-map.h"
#include "in-vain.h"
#include "own-syscall.h"

#include <stdatomic.h>
#include <string.h>

#define NR_WORDS	MP_BLOOM_WORDS
/*
 * A filter with more set bits is rebuilt. With this number of set bits, 1 of
 * 1,000 frees of unsampled blocks passes the filter.
 */
#define CROWDED_ONES	(BLOOM_SIZE_BITS / 8)

/* So is one that passed so many frees of other blocks, after blocks were freed. */
#define MANY_WRONG	100000

#define COUNT_SHIFT	60
#define COUNT_ONE	(1ULL << COUNT_SHIFT)
/* Value of the count if it is not known. Such a word is never cleared. */
#define COUNT_UNKNOWN	(15ULL << COUNT_SHIFT)
#define OTHER_BITS	(COUNT_SHIFT - MP_BLOOM_FIRST_BITS)

_Static_assert(NR_WORDS && !(NR_WORDS & (NR_WORDS - 1)), "a power of two");

struct mp_in_vain mp_in_vain[MP_IN_VAIN_ENTRIES];

/* Filter under construction; it is copied to one of the two filters in state.c. */
static uint64_t built[NR_WORDS] __attribute__((aligned(4096)));
/*
 * For each filter: the counts in its words do not include blocks with a
 * sequence number up to this one.
 */
static uint64_t counted_from[2];

/* Number of bloom_false_positives at the last rebuild. */
static uint64_t wrong_then;

/* Values of g_memprof.bloom_rebuild_in_progress. */
enum { IDLE, CLEARING, BUILDING };

/* Returns all bits of an address in its word. Each bit is chosen by bits of the hash. */
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

static bool exchange_word(uint64_t *word, uint64_t *from, uint64_t to)
{
	return __atomic_compare_exchange_n(word, from, to, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Adds an address. @count: COUNT_ONE, COUNT_UNKNOWN. Returns the number of new bits. */
static int set_bits(uint64_t *filter, uintptr_t ptr, uint64_t count)
{
	uint64_t hash = mp_bloom_hash(ptr), bits = mask(hash), with;
	uint64_t *word = &filter[mp_bloom_word(ptr)];
	uint64_t old = __atomic_load_n(word, __ATOMIC_SEQ_CST);

	do {
		with = old | bits | count;
		if (count == COUNT_ONE)
			with = (old | bits) + (old < COUNT_UNKNOWN ? count : 0);
	} while (!exchange_word(word, &old, with));
	return __builtin_popcountll(bits & ~old);
}

static void add_uncounted(uintptr_t ptr)
{
	set_bits(current(), ptr, COUNT_UNKNOWN);
}

static void add_uncounted_to_built(uintptr_t ptr)
{
	set_bits(built, ptr, COUNT_UNKNOWN);
}

/* Clears a filter by giving its pages back to the kernel, which zeroes them. */
static void clear_filter(uint64_t *filter)
{
	if (BLOOM_SIZE_BYTES % 4096 || mp_is_strict() ||
	    mp_own_madvise(filter, BLOOM_SIZE_BYTES, MADV_DONTNEED))
		memset(filter, 0, BLOOM_SIZE_BYTES);
}

/*
 * Clears both filters. Call it at start and after a fork, when no other thread can
 * add a block or rebuild the filter.
 */
int bloom_init(void)
{
	clear_filter(mp_bloom_filters[0]);
	clear_filter(mp_bloom_filters[1]);
	memset(mp_in_vain, 0, sizeof(mp_in_vain));
	memset(counted_from, 0, sizeof(counted_from));
	g_memprof.bloom_adds = 0;
	g_memprof.bloom_ones_count = 0;
	g_memprof.bloom_rebuild_in_progress = IDLE;
	publish(mp_bloom_filters[0]);
	mp_bootstrap_each(add_uncounted);
	return 0;
}

/*
 * Adds a block that is already in the table of live blocks. Either this function
 * sees that a rebuild is in progress, or the rebuild starts later and finds the block
 * in the table. The function writes to the filter under construction first, because
 * copy_word() reads that filter again after its own write.
 */
void bloom_add(uintptr_t ptr)
{
	int i;

	g_memprof.bloom_adds += 1;
	if (g_memprof.bloom_rebuild_in_progress != BUILDING) {
		g_memprof.bloom_ones_count += set_bits(current(), ptr, COUNT_ONE);
		/* pairs with the store in bloom_rebuild_from_heap() */
		if (g_memprof.bloom_rebuild_in_progress != BUILDING)
			return;
	}
	g_memprof.bloom_ones_count += set_bits(built, ptr, COUNT_ONE);
	for (i = 0; i < 2; i++)
		set_bits(mp_bloom_filters[i], ptr, COUNT_ONE);
}

/**
 * mp_bloom_remove() - remove a freed block from the filter
 * @ptr: address of the block
 * @birth_seq: sequence number of the block. If the block is older than the
 *	filter, the count of its word may not include it. Then nothing changes
 */
void mp_bloom_remove(uintptr_t ptr, uint64_t birth_seq)
{
	uint64_t *filter = current(), old, without;
	uint64_t *word = &filter[mp_bloom_word(ptr)];

	if (birth_seq <= __atomic_load_n(&counted_from[filter == mp_bloom_filters[1]],
					 __ATOMIC_SEQ_CST))
		return;
	old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
	do {
		/*
		 * change nothing if the count is not valid, or if another
		 * filter is current now: then this one is full of ones
		 */
		if (old < COUNT_ONE || old >= COUNT_UNKNOWN || filter != current())
			return;
		without = old - COUNT_ONE;
		if (without < COUNT_ONE)
			without = 0;
	} while (!exchange_word(word, &old, without));
	if (!without)
		g_memprof.bloom_ones_count -=
			__builtin_popcountll(old & (COUNT_ONE - 1));
}

int bloom_might_contain(uintptr_t ptr)
{
	uint64_t hash = mp_bloom_hash(ptr), *filter = current();

	return !(mask(hash) & ~__atomic_load_n(&filter[mp_bloom_word(ptr)],
					       __ATOMIC_RELAXED));
}

/*
 * Copies a word of the filter under construction to the new filter, which is full of
 * ones. A block that is added at the same time is not lost. The count of the word is
 * not known afterwards.
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

static uint32_t build_from_table(void)
{
	uint32_t i, nr = mp_heap_map_slots(), ones = 0;
	uintptr_t ptr;

	for (i = 0; i < nr; i++) {
		ptr = mp_heap_map_at(i);
		if (ptr)
			ones += set_bits(built, ptr, COUNT_UNKNOWN);
	}
	mp_bootstrap_each(add_uncounted_to_built);
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
	/*
	 * A thread that saw the last rebuild in progress may still add a block
	 * to @built. The clearing may remove that block, but the block is
	 * already in the table of live blocks, which is read below.
	 */
	clear_filter(built);
	g_memprof.bloom_rebuild_in_progress = BUILDING;
	/*
	 * A barrier: the table of live blocks must be read after the store
	 * above. Pairs with bloom_add().
	 */
	g_memprof.bloom_adds += 0;
	/* bloom_add() adds later blocks to the filter under construction, too */
	__atomic_store_n(&counted_from[other], mp_heap_map_seq(),
			 __ATOMIC_SEQ_CST);
	ones = build_from_table();
	for (i = 0; i < NR_WORDS; i++)
		copy_word(&new[i], &built[i]);
	publish(new);
	fill_with_ones(old);
	g_memprof.bloom_adds = 0;
	g_memprof.bloom_ones_count = ones;
	mp_drop_count(MP_COUNT_bloom_rebuilds);
	wrong_then = mp_drop_counter_value(MP_COUNT_bloom_false_positives);
	g_memprof.bloom_rebuild_in_progress = IDLE;
	return 0;
}

/*
 * Whether a rebuild is useful: many bits are set, or those of a few pages, where much is freed;
 * and many added blocks were freed.
 */
bool mp_bloom_is_crowded(void)
{
	return (g_memprof.bloom_ones_count > CROWDED_ONES ||
		mp_drop_counter_value(MP_COUNT_bloom_false_positives) - wrong_then > MANY_WRONG) &&
	       g_memprof.bloom_adds > mp_heap_map_live();
}
