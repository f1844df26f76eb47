// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * heap-map.c: the table of live blocks, a lock-free hash table.
 *
 * The table consists of windows with open addressing. Each window is as large
 * as all windows before it together. A new window is opened when the live
 * blocks fill half of the open windows. So a few blocks touch only a few pages,
 * and a look-up probes a few short runs of slots. One thread opens the new
 * window, and other threads use the remaining half of the slots meanwhile. A
 * thread that finds no free slot before the window is open opens the window
 * itself. So no thread waits for another, and no block is dropped before nearly all slots
 * are in use.
 *
 * Address and metadata of a slot change in one 16-byte compare and exchange.
 * While a slot is reserved, its metadata is the address that it is reserved
 * for. If the slot is given to another block before the finalize, the finalize
 * fails. A free finds the block in every state.
 *
 * Cost: about 100 ns per operation, mostly cache misses. If the table is full,
 * -1 is returned and the block is counted as dropped.
 */
#include "heap-map.h"

#include "drop-counter.h"
#include "region-file.h"
#include "sample-clock.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#define MIN(a, b)	((a) < (b) ? (a) : (b))
#define FIRST_WINDOW	MIN(MEMPROF_HEAP_MAP_CAPACITY, 1 << 10)
/* Slots to try in a window before another window is opened. */
#define CROWDED		MIN(MEMPROF_MAX_PROBE, 4)
/*
 * Slots to try when no window can be opened any more. A free looks at as many slots as an
 * allocation has ever tried: in a table that is full, each free would look at all of them.
 */
#define MOST_PROBES	MIN(MEMPROF_MAX_PROBE, 16)

_Static_assert((MEMPROF_HEAP_MAP_CAPACITY & MEMPROF_HEAP_MAP_MASK) == 0,
	       "a power of two");

struct window {
	uint32_t base;
	uint32_t size;
};

struct word_pair {
	uint64_t ptr;
	uint64_t metadata;
};

static struct memprof_region_block *blocks;
static uint32_t nr_windows;		/* open windows; only grows */
/* Windows that a thread opened, or is opening, before they are needed; only grows. */
static uint32_t nr_opened_ahead;
/* Per window: longest distance of a block from its first slot; only grows. */
static uint32_t farthest[32];

static struct window window(uint32_t n)
{
	if (!n)
		return (struct window){ 0, FIRST_WINDOW };
	return (struct window){ FIRST_WINDOW << (n - 1), FIRST_WINDOW << (n - 1) };
}

static uint32_t home(const struct window *w, uintptr_t ptr)
{
	return (uint32_t)((uint64_t)ptr * 0x9e3779b97f4a7c15ULL >> 40) &
	       (w->size - 1);
}

static HeapMapEntry *slot_at(const struct window *w, uint32_t i)
{
	return &g_memprof.heap_map[w->base + (i & (w->size - 1))];
}

static bool exchange_pair(HeapMapEntry *e, struct word_pair from, struct word_pair to)
{
	unsigned __int128 old, new;

	memcpy(&old, &from, sizeof(old));
	memcpy(&new, &to, sizeof(new));
	return __sync_bool_compare_and_swap((unsigned __int128 *)e, old, new);
}

/*
 * Loads both words of a slot. If a reserved slot is finalized between the loads, the
 * words do not match, so they are loaded again.
 */
static struct word_pair load(HeapMapEntry *e)
{
	struct word_pair pair;
	uint64_t again;

	/* pairs with the exchange in publish() */
	again = atomic_load_explicit(&e->ptr, memory_order_acquire);
	do {
		pair.ptr = again;
		pair.metadata = atomic_load_explicit(&e->metadata,
						     memory_order_acquire);
		again = atomic_load_explicit(&e->ptr, memory_order_acquire);
	} while (again != pair.ptr);
	return pair;
}

/*
 * Returns the time for a new block, from the coarse clock. This clock can be
 * late, but a mark has the exact time. So the result is at least the time of
 * the latest mark: a block that is allocated after a mark must not look older
 * than the mark.
 */
static uint64_t birth_ns(void)
{
	uint64_t mark = __atomic_load_n(&mp_region->control.mark_ns,
					__ATOMIC_RELAXED);
	uint64_t now = mp_clock_coarse_ns();

	return now > mark ? now : mark;
}

/*
 * Opens window @n, which follows the last open window. Several threads may do so at
 * once. Returns true if the window is open now.
 */
static bool open_window(uint32_t n)
{
	struct window w = window(n);
	uint32_t nr = n;

	if (__atomic_load_n(&nr_windows, __ATOMIC_ACQUIRE) > n)
		return true;
	if (w.base + w.size > MEMPROF_HEAP_MAP_CAPACITY)
		return false;
	if (!mp_region_commit(MEMPROF_REGION_ENTRIES, w.base + w.size) ||
	    !mp_region_commit(MEMPROF_REGION_BLOCKS, w.base + w.size)) {
		mp_drop_count(MP_COUNT_region_grow_failed);
		return false;
	}
	/* if the exchange fails, another thread has opened the window */
	__atomic_compare_exchange_n(&nr_windows, &nr, n + 1, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return true;
}

/*
 * Opens window @n before it is needed. Only the first thread that calls this tries.
 * If it fails, open_window() is called again when there is no slot left.
 */
static bool open_ahead(uint32_t n)
{
	uint32_t nr = __atomic_load_n(&nr_opened_ahead, __ATOMIC_RELAXED);

	return nr <= n &&
	       __atomic_compare_exchange_n(&nr_opened_ahead, &nr, n + 1, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
	       open_window(n);
}

/* The oldest x86-64 processors, and some emulated ones, lack the instruction. */
static bool can_exchange_pairs(void)
{
#ifdef __x86_64__
	unsigned int a, b, c = 0, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & bit_CMPXCHG16B;
#else
	return true;
#endif
}

int heap_map_init(void)
{
	uint64_t used;

	if (mp_region_need())
		return -1;
	if (!can_exchange_pairs()) {
		mp_drop_count(MP_COUNT_cpu_unsupported);
		errno = EOPNOTSUPP;
		return -1;
	}
	used = mp_region->sections[MEMPROF_REGION_ENTRIES].used;
	g_memprof.heap_map = mp_region_array(MEMPROF_REGION_ENTRIES);
	blocks = mp_region_array(MEMPROF_REGION_BLOCKS);
	memset(g_memprof.heap_map, 0, used * sizeof(HeapMapEntry));
	memset(farthest, 0, sizeof(farthest));
	nr_windows = 0;
	nr_opened_ahead = 0;
	g_memprof.heap_map_live = 0;
	if (open_ahead(0))
		return 0;
	errno = ENOMEM;
	return -1;
}

static void raise_farthest(uint32_t w, uint32_t distance)
{
	uint32_t most = __atomic_load_n(&farthest[w], __ATOMIC_RELAXED);

	while (most < distance &&
	       !__atomic_compare_exchange_n(&farthest[w], &most, distance, true,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

/*
 * Reserves a slot for @ptr if the slot is free. The address is written last, so
 * that no free of @ptr finds the slot before its sequence number is set.
 */
static bool claim_slot(HeapMapEntry *e, uintptr_t ptr)
{
	struct word_pair old = load(e);

	while (old.ptr == HEAP_ENTRY_EMPTY || old.ptr == HEAP_ENTRY_TOMBSTONE) {
		if (!exchange_pair(e, old, (struct word_pair){ HEAP_ENTRY_RESERVED, 0 })) {
			old = load(e);
			continue;
		}
		if (old.ptr == HEAP_ENTRY_TOMBSTONE)
			g_memprof.tombstones_recycled += 1;
		__atomic_store_n(&e->timestamp, birth_ns(), __ATOMIC_RELAXED);
		atomic_store_explicit(&e->birth_seq,
				      ++g_memprof.birth_seq,
				      memory_order_relaxed);
		atomic_store_explicit(&e->metadata, ptr, memory_order_release);
		return true;
	}
	return false;
}

static int reserve_in(uint32_t n, uintptr_t ptr, uint32_t probes)
{
	struct window w = window(n);
	uint32_t i, begin = home(&w, ptr);

	probes = MIN(probes, w.size);
	for (i = 0; i < probes; i++) {
		HeapMapEntry *e = slot_at(&w, begin + i);

		raise_farthest(n, i + 1);
		if (claim_slot(e, ptr)) {
			g_memprof.heap_map_insertions += 1;
			g_memprof.heap_map_collisions += i;
			return e - g_memprof.heap_map;
		}
	}
	g_memprof.heap_map_collisions += i;
	return -1;
}

static bool is_address(uintptr_t ptr)
{
	return ptr != HEAP_ENTRY_EMPTY && ptr != HEAP_ENTRY_RESERVED &&
	       ptr != HEAP_ENTRY_TOMBSTONE;
}

/*
 * Returns the window to search first: the first window of which the live blocks
 * would fill at most half. Most live blocks are in this window.
 */
static uint32_t first_window(uint32_t nr)
{
	uint32_t n = 0, live = mp_heap_map_live();

	while (n < nr - 1 && window(n).size / 2 < live)
		n++;
	return n;
}

/*
 * Returns the window to search at step @i: first @first, then the smaller windows,
 * then the larger ones. The caller computes @first only once, because other threads
 * can change first_window(), and no window may be missed.
 */
static uint32_t ith_window(uint32_t first, uint32_t i, uint32_t nr)
{
	return (first + nr - i) % nr;
}

/*
 * Prefetches the slot of a block, so that it is in the cache after the stack
 * walk.
 */
void mp_heap_map_prefetch(uintptr_t ptr)
{
	uint32_t nr = __atomic_load_n(&nr_windows, __ATOMIC_ACQUIRE);
	struct window w;

	if (!nr)
		return;
	w = window(first_window(nr));
	__builtin_prefetch(slot_at(&w, home(&w, ptr)), 1);
}

/* Reserves a slot in one of the first @nr windows. */
static int reserve_in_any(uintptr_t ptr, uint32_t probes, uint32_t nr)
{
	uint32_t i, first = nr ? first_window(nr) : 0;
	int slot = -1;

	for (i = 0; slot < 0 && i < nr; i++)
		slot = reserve_in(ith_window(first, i, nr), ptr, probes);
	return slot;
}

static uint32_t nr_open(void)
{
	return __atomic_load_n(&nr_windows, __ATOMIC_ACQUIRE);
}

/*
 * Reserves a slot for a block. If the first slots that are probed are in use, a
 * new window is opened before more slots are probed.
 */
int heap_map_reserve(uintptr_t ptr)
{
	uint32_t nr = nr_open();
	int slot;

	if (!is_address(ptr))
		return -1;
	if (2 * (mp_heap_map_live() + 1) > mp_heap_map_slots() && open_ahead(nr))
		nr = nr_open();
	slot = reserve_in_any(ptr, CROWDED, nr);
	if (slot < 0 && open_ahead(nr)) {
		nr = nr_open();
		slot = reserve_in_any(ptr, CROWDED, nr);
	}
	if (slot < 0)
		slot = reserve_in_any(ptr, MOST_PROBES, nr);
	/*
	 * another thread may still be opening this window: open it here, too,
	 * and do not wait
	 */
	while (slot < 0 && open_window(nr)) {
		nr = nr_open();
		slot = reserve_in_any(ptr, MOST_PROBES, nr);
	}
	if (slot < 0)
		mp_drop_count(MP_COUNT_heap_map_full_drops);
	return slot;
}

/*
 * Writes the exact numbers, before the slot is published. A thread that is late
 * may still finalize an earlier block in the same slot and write at the same
 * time; readers detect this by @birth_seq.
 */
static void write_block(struct memprof_region_block *b, uint64_t birth_seq,
			const struct mp_exact *exact)
{
	__atomic_store_n(&b->birth_seq, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&b->size, exact->size, __ATOMIC_RELEASE);
	__atomic_store_n(&b->weight_bytes, exact->weight_bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&b->stack, exact->stack, __ATOMIC_RELAXED);
	__atomic_store_n(&b->kind, exact->kind, __ATOMIC_RELAXED);
	__atomic_store_n(&b->birth_seq, birth_seq, __ATOMIC_RELEASE);
}

/*
 * Packs the numbers of a block into one word. For most blocks all numbers fit, which
 * saves a cache line in the allocation and in the free. A field with all bits set
 * means that the value did not fit.
 */
static uint64_t pack(const struct mp_exact *exact)
{
	return METADATA_PACK(exact->stack, exact->size,
			     exact->kind == MEMPROF_REGION_HEAP ?
			     exact->weight_bytes : UINT64_MAX);
}

static void read_block(HeapMapEntry *e, uint64_t metadata,
		       struct mp_exact *exact)
{
	struct memprof_region_block *b = &blocks[e - g_memprof.heap_map];
	uint64_t birth = atomic_load_explicit(&e->birth_seq, memory_order_relaxed);

	exact->birth_ns = __atomic_load_n(&e->timestamp, __ATOMIC_RELAXED);
	exact->size = METADATA_SIZE(metadata);
	exact->weight_bytes = METADATA_WEIGHT(metadata);
	exact->stack = METADATA_STACK_ID(metadata);
	exact->kind = MEMPROF_REGION_HEAP;
	if (memprof_region_is_whole(metadata) ||
	    __atomic_load_n(&b->birth_seq, __ATOMIC_ACQUIRE) != birth)
		return;
	exact->size = __atomic_load_n(&b->size, __ATOMIC_RELAXED);
	exact->weight_bytes = __atomic_load_n(&b->weight_bytes, __ATOMIC_RELAXED);
	exact->stack = __atomic_load_n(&b->stack, __ATOMIC_RELAXED);
	exact->kind = __atomic_load_n(&b->kind, __ATOMIC_RELAXED);
}

static int publish(int slot_idx, uintptr_t ptr, uint64_t metadata,
		   const struct mp_exact *exact)
{
	struct word_pair from = { HEAP_ENTRY_RESERVED, ptr }, is;
	HeapMapEntry *e;

	if (slot_idx < 0 || slot_idx >= MEMPROF_HEAP_MAP_CAPACITY ||
	    !is_address(ptr))
		return 0;
	e = &g_memprof.heap_map[slot_idx];
	is = load(e);
	if (is.ptr != from.ptr || is.metadata != from.metadata)
		return 0;
	if (exact && !memprof_region_is_whole(metadata))
		write_block(&blocks[slot_idx], e->birth_seq, exact);
	/* a block that was removed and is inserted again keeps its time */
	if (exact && exact->birth_ns)
		__atomic_store_n(&e->timestamp, exact->birth_ns, __ATOMIC_RELAXED);
	if (!exchange_pair(e, from, (struct word_pair){ ptr, metadata }))
		return 0;
	g_memprof.heap_map_live += 1;
	return 1;
}

int heap_map_finalize(int slot_idx, uintptr_t ptr, uint64_t packed_metadata)
{
	return publish(slot_idx, ptr, packed_metadata, NULL);
}

/**
 * mp_heap_map_finalize() - publish a reserved slot, with the exact numbers
 */
int mp_heap_map_finalize(int slot, uintptr_t ptr, const struct mp_exact *exact)
{
	return publish(slot, ptr, pack(exact), exact);
}

/* Whether a slot has the block at @ptr, finalized or only reserved. */
static bool holds(struct word_pair pair, uintptr_t ptr)
{
	return pair.ptr == ptr ||
	       (pair.ptr == HEAP_ENTRY_RESERVED && pair.metadata == ptr);
}

/*
 * Removes the block of a slot. Returns 1 if it was removed; 0 if the free began before
 * the block was allocated; -1 if the slot changed meanwhile.
 */
static int remove_entry(HeapMapEntry *e, struct word_pair pair, uint64_t free_seq,
			struct mp_exact *exact)
{
	uint64_t birth_seq = atomic_load_explicit(&e->birth_seq,
						  memory_order_relaxed);

	if (birth_seq > free_seq) {
		mp_drop_count(MP_COUNT_zombie_races);
		return 0;
	}
	*exact = (struct mp_exact){ 0 };
	if (pair.ptr != HEAP_ENTRY_RESERVED)
		read_block(e, pair.metadata, exact);
	else
		exact->birth_ns = __atomic_load_n(&e->timestamp, __ATOMIC_RELAXED);
	exact->birth_seq = birth_seq;
	exact->region = mp_region;
	if (!exchange_pair(e, pair, (struct word_pair){ HEAP_ENTRY_TOMBSTONE, 0 }))
		return -1;
	if (pair.ptr == HEAP_ENTRY_RESERVED)
		mp_drop_count(MP_COUNT_death_during_birth);
	else
		g_memprof.heap_map_live -= 1;
	g_memprof.heap_map_deletions += 1;
	return 1;
}

/*
 * Removes the block at @ptr if the slot has it. A slot that changes meanwhile can only
 * go from reserved to finalized, so there is at most one more try. Returns -1 if the
 * slot does not have the block.
 */
static int remove_if_held(HeapMapEntry *e, uintptr_t ptr, uint64_t free_seq,
			  struct mp_exact *exact)
{
	struct word_pair pair = load(e);
	int taken;

	while (holds(pair, ptr)) {
		taken = remove_entry(e, pair, free_seq, exact);
		if (taken >= 0)
			return taken;
		pair = load(e);
	}
	return -1;
}

static int remove_in(uint32_t n, uintptr_t ptr, uint64_t free_seq,
		     struct mp_exact *exact)
{
	struct window w = window(n);
	uint32_t i, begin = home(&w, ptr);
	uint32_t probes = __atomic_load_n(&farthest[n], __ATOMIC_SEQ_CST);
	int taken;

	for (i = 0; i < probes; i++) {
		HeapMapEntry *e = slot_at(&w, begin + i);

		taken = remove_if_held(e, ptr, free_seq, exact);
		if (taken >= 0)
			return taken;
		if (atomic_load_explicit(&e->ptr, memory_order_acquire) ==
		    HEAP_ENTRY_EMPTY)
			break;
	}
	return -1;
}

/**
 * mp_heap_map_remove() - remove a block, and return its exact numbers
 * @ptr: address of the block
 * @free_seq: result of mp_heap_map_seq() when the free began
 * @exact: out: numbers of the block; all zero if the block was not finalized
 *
 * Return: 1 if the block was removed, 0 if it was not found.
 */
int mp_heap_map_remove(uintptr_t ptr, uint64_t free_seq, struct mp_exact *exact)
{
	uint32_t i, nr = __atomic_load_n(&nr_windows, __ATOMIC_ACQUIRE);
	uint32_t first = nr ? first_window(nr) : 0;
	int taken;

	if (!is_address(ptr))
		return 0;
	for (i = 0; i < nr; i++) {
		taken = remove_in(ith_window(first, i, nr), ptr, free_seq, exact);
		if (taken >= 0)
			return taken;
	}
	return 0;
}

int heap_map_remove(uintptr_t ptr, uint64_t free_seq, uint64_t free_timestamp,
		    uint32_t *out_stack_id, uint32_t *out_size,
		    uint32_t *out_weight, uint64_t *out_duration)
{
	struct mp_exact exact;

	if (!mp_heap_map_remove(ptr, free_seq, &exact))
		return 0;
	if (out_stack_id)
		*out_stack_id = exact.stack;
	if (out_size)
		*out_size = MIN(exact.size, UINT32_MAX);
	if (out_weight)
		*out_weight = MIN(exact.weight_bytes, UINT32_MAX);
	if (out_duration)
		*out_duration = free_timestamp > exact.birth_ns ?
				free_timestamp - exact.birth_ns : 0;
	return 1;
}

int heap_map_load_percent(void)
{
	return mp_heap_map_live() * 100ULL / MEMPROF_HEAP_MAP_CAPACITY;
}

/*
 * Returns the sequence number of the latest block. A free that begins now can only
 * free this block or earlier ones.
 */
uint64_t mp_heap_map_seq(void)
{
	return g_memprof.birth_seq;
}

uint32_t mp_heap_map_live(void)
{
	int64_t nr = g_memprof.heap_map_live;

	return nr > 0 ? nr : 0;
}

/* Returns the number of slots in open windows. No slot above it is in use. */
uint32_t mp_heap_map_slots(void)
{
	uint32_t nr = __atomic_load_n(&nr_windows, __ATOMIC_ACQUIRE);

	return nr ? window(nr - 1).base + window(nr - 1).size : 0;
}

/* Returns the address of a slot's block, finalized or only reserved; 0: none. */
uintptr_t mp_heap_map_at(uint32_t slot)
{
	struct word_pair pair = load(&g_memprof.heap_map[slot]);

	if (pair.ptr == HEAP_ENTRY_RESERVED)
		return pair.metadata;
	return is_address(pair.ptr) ? pair.ptr : 0;
}

/*
 * Copies a slot. Returns false if its block is not finalized, or changed during the
 * copy.
 */
bool mp_heap_map_copy(uint32_t slot, HeapMapEntry *entry)
{
	HeapMapEntry *e = &g_memprof.heap_map[slot];
	struct word_pair pair = load(e), again;
	uint64_t birth = e->birth_seq;

	if (!is_address(pair.ptr))
		return false;
	entry->ptr = pair.ptr;
	entry->metadata = pair.metadata;
	entry->birth_seq = birth;
	entry->timestamp = __atomic_load_n(&e->timestamp, __ATOMIC_ACQUIRE);
	again = load(e);
	return again.ptr == pair.ptr && again.metadata == pair.metadata &&
	       e->birth_seq == birth;
}
