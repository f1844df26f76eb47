// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stack-table.c: stores each different stack once, by number.
 *
 * Stacks are appended to an array, so their numbers have no gaps and never change. A
 * hash table finds the number of a stack. The hash in the entry, and the number in
 * the hash table, are written last, when the entry is complete. If two threads add the
 * same stack at once, it may be appended twice.
 *
 * Cost: 50 ns for a known stack. If the table is full, UINT32_MAX is returned and the
 * stack is counted as dropped.
 */
#include "stack-table.h"

#include "drop-counter.h"
#include "region-file.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

/*
 * Number of stacks that the file has room for at first. The room doubles each time
 * when it is used up.
 */
#define FIRST_ROOM \
	(MEMPROF_STACK_TABLE_INITIAL < 128 ? MEMPROF_STACK_TABLE_INITIAL : 128)
/* Slots of the hash table; at least half of them stay empty. */
#define INDEX_SIZE	(2 * MEMPROF_STACK_TABLE_MAX_DEFAULT)
#define INDEX_MASK	(INDEX_SIZE - 1)

_Static_assert((INDEX_SIZE & INDEX_MASK) == 0, "a power of two");

static uint32_t stack_index[INDEX_SIZE];	/* number + 1; 0: empty */
static uint32_t capacity;		/* entries that may be written; only grows */
/* Capacity that a thread made, or is making, before it is needed; only grows. */
static uint32_t made_ahead;

/*
 * Hashes a stack with FNV-1a over whole frames; a hash over bytes would take a
 * third of a sample's time. The low bits of the result do not depend on high
 * bits of a frame, so the upper half is added to the lower half.
 */
uint64_t mp_stack_hash(const uintptr_t *frames, int depth)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	int i;

	for (i = 0; i < depth; i++) {
		hash = (hash ^ frames[i]) * 0x100000001b3ULL;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Sets *@number to @to, unless *@number is larger already. */
static void raise_to(uint32_t *number, uint32_t to)
{
	uint32_t is = __atomic_load_n(number, __ATOMIC_RELAXED);

	while (is < to && !__atomic_compare_exchange_n(number, &is, to, true,
						       __ATOMIC_RELEASE,
						       __ATOMIC_RELAXED))
		;
}

/* Grows the table to @to entries. Several threads may do so at once. */
static bool grow_table(uint32_t to)
{
	if (to > MEMPROF_STACK_TABLE_MAX_DEFAULT)
		to = MEMPROF_STACK_TABLE_MAX_DEFAULT;
	if (!mp_region_commit(MEMPROF_REGION_STACKS, to) ||
	    !mp_region_commit(MEMPROF_REGION_TALLIES, to) ||
	    !mp_region_commit(MEMPROF_REGION_PEAKS, to)) {
		mp_drop_count(MP_COUNT_region_grow_failed);
		return false;
	}
	raise_to(&capacity, to);
	return true;
}

/*
 * Grows the table to @to entries before they are needed. Only the first thread that
 * calls this tries. If it fails, the table is grown when there is no entry left.
 */
static void grow_ahead(uint32_t to)
{
	uint32_t made = __atomic_load_n(&made_ahead, __ATOMIC_RELAXED);

	if (made < to && __atomic_compare_exchange_n(&made_ahead, &made, to, false,
						     __ATOMIC_RELAXED,
						     __ATOMIC_RELAXED))
		grow_table(to);
}

int stack_table_init(void)
{
	/* at first the index is all zero, and to write that would make 512 KB resident */
	static bool is_used;
	uint64_t used;

	if (mp_region_need())
		return -1;
	used = mp_region->sections[MEMPROF_REGION_STACKS].used;
	g_memprof.stack_table = mp_region_array(MEMPROF_REGION_STACKS);
	if (is_used)
		memset(stack_index, 0, sizeof(stack_index));
	is_used = true;
	memset(g_memprof.stack_table, 0, used * sizeof(StackEntry));
	g_memprof.stack_count = 0;
	capacity = 0;
	made_ahead = FIRST_ROOM;
	if (grow_table(FIRST_ROOM))
		return 0;
	errno = ENOMEM;
	return -1;
}

static uint32_t room(void)
{
	return __atomic_load_n(&capacity, __ATOMIC_ACQUIRE);
}

/* Makes room for entry @nr if needed. Returns whether the entry may be written. */
static bool has_room(uint32_t nr)
{
	uint32_t is = room();

	if (nr >= is - is / 4 && is < MEMPROF_STACK_TABLE_MAX_DEFAULT) {
		grow_ahead(2 * is);
		is = room();
	}
	while (nr >= is && is < MEMPROF_STACK_TABLE_MAX_DEFAULT &&
	       grow_table(2 * is))
		is = room();
	return nr < is;
}

/*
 * Returns the number of a new entry. The table grows before it is full: one thread
 * makes room, and the others use the remaining entries. If these are used up, the
 * others make room themselves. No thread waits.
 */
static uint32_t append_number(void)
{
	uint32_t nr = g_memprof.stack_count;

	do {
		if (has_room(nr))
			continue;
		mp_drop_count(nr < MEMPROF_STACK_TABLE_MAX_DEFAULT ?
			      MP_COUNT_stack_table_busy_drops :
			      MP_COUNT_stack_table_full_drops);
		return UINT32_MAX;
	} while (!atomic_compare_exchange_weak(&g_memprof.stack_count, &nr,
					       nr + 1));
	return nr;
}

static bool is_same_stack(const StackEntry *e, const uintptr_t *frames, int depth,
			  uint64_t hash, uint16_t flags)
{
	return atomic_load_explicit(&e->hash, memory_order_acquire) == hash &&
	       e->depth == depth &&
	       !((__atomic_load_n(&e->flags, __ATOMIC_RELAXED) ^ flags) &
		 STACK_FLAG_MMAP) &&
	       !memcmp(e->frames, frames, depth * sizeof(*frames));
}

static uint32_t write_stack(const uintptr_t *frames, int depth, uint64_t hash,
			    uint16_t flags)
{
	uint32_t nr = append_number();
	StackEntry *e;

	if (nr == UINT32_MAX)
		return nr;
	e = &g_memprof.stack_table[nr];
	e->depth = depth;
	e->flags = flags;
	memcpy(e->frames, frames, depth * sizeof(*frames));
	/*
	 * pairs with is_same_stack(), stack_table_get() and readers of the file
	 */
	atomic_store_explicit(&e->hash, hash, memory_order_release);
	return nr;
}

/*
 * Searches the hash table from slot @i on. Returns the number of the stack, or
 * UINT32_MAX; @slot is then the empty slot for the stack.
 */
static uint32_t find_stack(const uintptr_t *frames, int depth, uint64_t hash,
			   uint16_t flags, uint32_t i, uint32_t **slot)
{
	uint32_t n, nr;

	for (n = 0; n < INDEX_SIZE; n++) {
		*slot = &stack_index[(i + n) & INDEX_MASK];
		nr = __atomic_load_n(*slot, __ATOMIC_ACQUIRE);
		if (!nr)
			return UINT32_MAX;
		if (is_same_stack(&g_memprof.stack_table[nr - 1], frames, depth, hash,
				  flags))
			return nr - 1;
		g_memprof.stack_table_collisions += 1;
	}
	*slot = NULL;
	return UINT32_MAX;
}

/**
 * mp_stack_table_intern() - get the number of a stack
 * @frames: return addresses
 * @depth: number of @frames; frames beyond MEMPROF_MAX_STACK_DEPTH are dropped
 * @hash: mp_stack_hash() of @frames
 * @flags: STACK_FLAG_TRUNCATED, STACK_FLAG_MMAP; stacks that differ in
 *	STACK_FLAG_MMAP are different stacks
 * @is_new: out: true if the stack was added
 *
 * Return: number of the stack, or UINT32_MAX if the table is full.
 */
uint32_t mp_stack_table_intern(const uintptr_t *frames, int depth, uint64_t hash,
			       uint16_t flags, bool *is_new)
{
	uint32_t nr, mine = UINT32_MAX, *slot, empty;

	*is_new = false;
	if (depth < 0 || !frames)
		return UINT32_MAX;
	if (depth > MEMPROF_MAX_STACK_DEPTH) {
		depth = MEMPROF_MAX_STACK_DEPTH;
		flags |= STACK_FLAG_TRUNCATED;
	}
	/* a hash of 0 marks an empty entry, so use 1 instead */
	hash = hash ? hash : 1;
	nr = find_stack(frames, depth, hash, flags, hash & INDEX_MASK, &slot);
	while (nr == UINT32_MAX && slot) {
		if (mine == UINT32_MAX)
			mine = write_stack(frames, depth, hash, flags);
		if (mine == UINT32_MAX)
			break;
		empty = 0;
		if (__atomic_compare_exchange_n(slot, &empty, mine + 1, false,
						__ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE)) {
			*is_new = true;
			return mine;
		}
		nr = find_stack(frames, depth, hash, flags, slot - stack_index,
				&slot);
	}
	return nr;
}

uint32_t stack_table_intern(const uintptr_t *frames, int depth, uint64_t hash)
{
	bool is_new;

	return mp_stack_table_intern(frames, depth, hash, 0, &is_new);
}

const StackEntry *stack_table_get(uint32_t stack_id)
{
	StackEntry *e;

	if (stack_id >= MEMPROF_STACK_TABLE_MAX_DEFAULT ||
	    stack_id >= g_memprof.stack_count)
		return NULL;
	e = &g_memprof.stack_table[stack_id];
	return atomic_load_explicit(&e->hash, memory_order_acquire) ? e : NULL;
}

/*
 * Stores how many binaries are recorded when a stack is first counted. The binaries of
 * the stack are among them. There is one exception: if another thread added the same
 * new stack, it may record the binaries after nr_maps is set.
 */
static void note_maps(struct memprof_region_tally *tally)
{
	const struct memprof_region_section *maps =
		&mp_region->sections[MEMPROF_REGION_MAPS];

	if (!__atomic_load_n(&tally->nr_maps, __ATOMIC_RELAXED))
		__atomic_store_n(&tally->nr_maps,
				 __atomic_load_n(&maps->used, __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
}

/**
 * mp_stack_at() - get the frames of a stack
 *
 * Return: NULL if there is no stack of this number.
 */
const struct memprof_region_stack *mp_stack_at(uint32_t stack)
{
	const struct memprof_region_stack *stacks = mp_region_array(MEMPROF_REGION_STACKS);

	return stack < MEMPROF_STACK_TABLE_MAX_DEFAULT ? &stacks[stack] : NULL;
}

/* Returns the tally of a stack; for UINT32_MAX the tally of samples without a stack. */
struct memprof_region_tally *mp_stack_tally(uint32_t stack)
{
	struct memprof_region_tally *tallies =
		mp_region_array(MEMPROF_REGION_TALLIES);

	if (stack >= MEMPROF_STACK_TABLE_MAX_DEFAULT)
		return &mp_region->dropped;
	note_maps(&tallies[stack]);
	return &tallies[stack];
}

/* Returns the peak of a stack; for UINT32_MAX that of samples without a stack. */
struct memprof_region_peak *mp_stack_peak(uint32_t stack)
{
	struct memprof_region_peak *peaks = mp_region_array(MEMPROF_REGION_PEAKS);

	return stack < MEMPROF_STACK_TABLE_MAX_DEFAULT ? &peaks[stack] :
							 &mp_region->dropped_peak;
}
