// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies the living blocks of a session for user space.
 *
 * Cost: a short lock per slot of the live table that is in use. Blocks that find no room
 * in the copy are counted.
 */
#include "heap.h"
#include <linux/sched.h>
#include "process.h"
#include "session.h"

/**
 * memprof_heap_blocks_room() - number of rows for a copy of the living blocks
 * @s: running or stopped, with a heap
 *
 * Some more than there are now: blocks are allocated until they are copied.
 */
u32 memprof_heap_blocks_room(struct memprof_session *s)
{
	struct memprof_live *l = &s->heap->live;
	u32 used = READ_ONCE(l->used);

	return min_t(u64, (u64)used + used / 16 + 64, l->max);
}

/**
 * memprof_heap_blocks() - copy the living blocks
 * @s: running or stopped, with a heap
 * @out: rows
 * @room: number of rows
 * @left: set to the number of blocks that found no room
 *
 * Process context. Cost: a short lock per slot that is in use.
 *
 * Return: number of rows that were filled.
 */
u32 memprof_heap_blocks(struct memprof_session *s,
			struct memprof_living_block *out, u32 room, u32 *left)
{
	struct memprof_live *l = &s->heap->live;
	u32 i, nr = 0, end = memprof_live_end(l);
	struct memprof_found found;
	struct memprof_row *row;

	*left = 0;
	for (i = 0; i < end; i++) {
		if (!(i % 1024))
			cond_resched();
		row = memprof_live_slot(l, i, &found);
		if (!row)
			continue;
		if (nr == room) {
			++*left;
			continue;
		}
		out[nr++] = (struct memprof_living_block){
			.address = found.ptr, .bytes = found.size,
			.weight_bytes = found.weighted.space,
			.callsite = READ_ONCE(memprof_site_of_block(&found)->address),
			.start_ns = READ_ONCE(row->start_ns),
			.pid = READ_ONCE(row->pid),
		};
	}
	return nr;
}
