// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * May this address be a sampled block? The only thing that every free asks.
 *
 * All bits of an address are in one 64-bit word: one cache line, and the first of
 * them says no to nearly all. Multiplied by the golden ratio, so that the upper
 * bits depend on all lower ones, however the addresses are aligned.
 *
 * The filter forgets nothing, so it is built anew from the live table when it is
 * an eighth full: by a thread that samples, never by one that only allocates.
 * Nobody knows who still reads the old one, and therefore it is filled with ones:
 * who reads it late goes to the table for nothing, but never misses a block.
 */
#include "bloom.h"

#include "bootstrap.h"
#include "counter.h"
#include "heap-map.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define NR_WORDS	(BLOOM_SIZE_BITS / 64)
/* An eighth: 1 of 1,000 unsampled frees or fewer then looks into the table. */
#define CROWDED_ONES	(BLOOM_SIZE_BITS / 8)

_Static_assert(NR_WORDS && !(NR_WORDS & (NR_WORDS - 1)), "a power of two");

/* Two that take turns, and the one that is being built. Zero until they are used,
 * so that a free that comes before everything else can ask.
 */
static uint64_t filters[2][NR_WORDS] __attribute__((aligned(4096)));
static uint64_t built[NR_WORDS] __attribute__((aligned(4096)));
static uint64_t adds;			/* since the last rebuild */

/* g_memprof.bloom_rebuild_in_progress */
enum { IDLE, CLEARING, BUILDING };

static uint64_t hash(uintptr_t ptr)
{
	return mp_bloom_hash(ptr);
}

static uint64_t mask(uint64_t h)
{
	const int first = MP_BLOOM_FIRST_BIT;

	return 1ULL << (h >> first & 63) | 1ULL << (h >> (first - 6) & 63) |
	       1ULL << (h >> (first - 12) & 63) |
	       1ULL << (h >> (first - 18) & 63);
}

static uint64_t *word(uint64_t *filter, uint64_t h)
{
	return &filter[mp_bloom_word(h)];
}

static uint64_t *current(void)
{
	return (uint64_t *)atomic_load(&g_memprof.bloom_filter_ptr);
}

static void publish(uint64_t *filter)
{
	atomic_store(&g_memprof.bloom_filter_ptr, (_Atomic uint8_t *)filter);
}

/* Drops the pages: they are zero again. */
static void clear(uint64_t *filter)
{
	if (BLOOM_SIZE_BYTES % 4096 ||
	    madvise(filter, BLOOM_SIZE_BYTES, MADV_DONTNEED))
		memset(filter, 0, BLOOM_SIZE_BYTES);
}

/* Returns how many bits are new. */
static int set(uint64_t *filter, uint64_t h)
{
	uint64_t old = __atomic_fetch_or(word(filter, h), mask(h),
					 __ATOMIC_SEQ_CST);

	return __builtin_popcountll(mask(h) & ~old);
}

static void keep(uintptr_t ptr)
{
	set(current(), hash(ptr));
}

static void keep_building(uintptr_t ptr)
{
	set(built, hash(ptr));
}

/* Forgets everything. Nobody else may add or rebuild: at start, and after a fork. */
int bloom_init(void)
{
	clear(filters[0]);
	clear(filters[1]);
	adds = 0;
	g_memprof.bloom_ones_count = 0;
	g_memprof.bloom_rebuild_in_progress = IDLE;
	publish(filters[0]);
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
	uint64_t h = hash(ptr);
	int i;

	atomic_thread_fence(memory_order_seq_cst);
	__atomic_fetch_add(&adds, 1, __ATOMIC_RELAXED);
	if (g_memprof.bloom_rebuild_in_progress != BUILDING) {
		g_memprof.bloom_ones_count += set(current(), h);
		/* partner: the store in bloom_rebuild_from_heap() */
		if (g_memprof.bloom_rebuild_in_progress != BUILDING)
			return;
	}
	g_memprof.bloom_ones_count += set(built, h);
	for (i = 0; i < 2; i++)
		set(filters[i], h);
}

int bloom_might_contain(uintptr_t ptr)
{
	uint64_t h = hash(ptr), *filter = current();

	return !(mask(h) & ~__atomic_load_n(word(filter, h),
					   __ATOMIC_RELAXED));
}

/* From ones to what was built; whoever adds meanwhile is not lost. */
static void copy_word(uint64_t *to, uint64_t *from)
{
	uint64_t w = __atomic_load_n(from, __ATOMIC_SEQ_CST), later;

	__atomic_store_n(to, w, __ATOMIC_SEQ_CST);
	later = __atomic_load_n(from, __ATOMIC_SEQ_CST);
	if (later & ~w)
		__atomic_fetch_or(to, later, __ATOMIC_SEQ_CST);
}

static void fill_with_ones(uint64_t *filter)
{
	uint32_t i;

	for (i = 0; i < NR_WORDS; i++)
		__atomic_store_n(&filter[i], UINT64_MAX, __ATOMIC_RELAXED);
}

int bloom_rebuild_from_heap(void)
{
	uint64_t *old = current();
	uint64_t *new = old == filters[0] ? filters[1] : filters[0];
	uint32_t i, nr, ones = 0;
	uintptr_t ptr;
	int idle = IDLE;

	if (!atomic_compare_exchange_strong(
			&g_memprof.bloom_rebuild_in_progress, &idle, CLEARING))
		return -1;
	/* who still adds to it for the last rebuild is in the live table */
	clear(built);
	g_memprof.bloom_rebuild_in_progress = BUILDING;
	atomic_thread_fence(memory_order_seq_cst);
	nr = mp_heap_map_slots();
	for (i = 0; i < nr; i++) {
		ptr = mp_heap_map_at(i);
		if (ptr)
			ones += set(built, hash(ptr));
	}
	mp_bootstrap_each(keep_building);
	for (i = 0; i < NR_WORDS; i++)
		copy_word(&new[i], &built[i]);
	publish(new);
	fill_with_ones(old);
	__atomic_store_n(&adds, 0, __ATOMIC_RELAXED);
	g_memprof.bloom_ones_count = ones;
	mp_count(MP_COUNT_bloom_rebuilds);
	g_memprof.bloom_rebuild_in_progress = IDLE;
	return 0;
}

/* It pays when much of what is in there has been freed. */
bool mp_bloom_is_crowded(void)
{
	return g_memprof.bloom_ones_count > CROWDED_ONES &&
	       __atomic_load_n(&adds, __ATOMIC_RELAXED) > mp_heap_map_live();
}
