// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * reserve.c: keeps blocks of malloc() for the next samples of Python's objects.
 *
 * A sampled object is in a block of malloc() and not in an arena, see python-objects.c. If
 * each of these blocks were requested for its sample, they would lie scattered between the
 * program's own blocks: free memory between those would be split, and too small for its
 * next large block. (A program that reads and writes JSON had three times the page faults.)
 * So many are requested at a time, and blocks that are freed are kept.
 *
 * Blocks are not given back at the end: another sampling uses them again. The cost is a look
 * at each place, at samples and their frees only.
 */
#include "reserve.h"

#include "next.h"

static void *places[MP_RESERVE_BLOCKS];
static bool opened;

/**
 * mp_reserve_open() - begin or end to keep blocks that are freed
 * @is_open: whether they are kept. Those that are in the reserve stay there
 */
void mp_reserve_open(bool is_open)
{
	__atomic_store_n(&opened, is_open, __ATOMIC_RELAXED);
}

/** mp_reserve_take() - take a block. Return: the block, or NULL if there is none */
void *mp_reserve_take(void)
{
	void *p = NULL;
	int i;

	for (i = 0; i < MP_RESERVE_BLOCKS && !p; i++)
		if (__atomic_load_n(&places[i], __ATOMIC_RELAXED))
			p = __atomic_exchange_n(&places[i], NULL, __ATOMIC_ACQ_REL);
	return p;
}

/**
 * mp_reserve_keep() - keep a block
 * @p: a block of malloc() that nobody uses, with MP_RESERVE_BYTES or more
 *
 * Return: true if it is kept; false if there is no place for it.
 */
bool mp_reserve_keep(void *p)
{
	void *empty;
	int i;

	for (i = 0; i < MP_RESERVE_BLOCKS; i++) {
		empty = __atomic_load_n(&places[i], __ATOMIC_RELAXED);
		if (!empty && __atomic_compare_exchange_n(&places[i], &empty, p, false,
							  __ATOMIC_ACQ_REL,
							  __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

/**
 * mp_reserve_keep_freed() - keep a block instead of giving it to free()
 * @p: a sampled block, which was freed
 * @size: bytes that were requested. A block with many more is one of a sampled object
 *
 * Return: true if it is kept; false if the caller must free it.
 */
bool mp_reserve_keep_freed(void *p, size_t size)
{
	return __atomic_load_n(&opened, __ATOMIC_RELAXED) && size < MP_RESERVE_BYTES &&
	       mp_next.malloc_usable_size(p) >= MP_RESERVE_BYTES && mp_reserve_keep(p);
}
