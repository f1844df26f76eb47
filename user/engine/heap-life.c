// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap-life: handles fork, exec and exit of processes
 *
 * An exited process keeps its row until it is folded, see heap-fold.h.
 */
#include "heap-fold.h"
#include "heap-freed.h"
#include "heap-peak.h"
#include "heap-threads.h"

int mp_heap_fork(struct mp_heap *heap, const struct mp_who *child,
		 uint32_t parent)
{
	uint32_t *known = mp_map_find(&heap->by_pid, parent, 0);
	uint32_t from = known ? *known : MP_HEAP_NONE, number;
	struct mp_heap_process *to;
	int err;

	/* the process id is used again, so the older process must have exited */
	err = mp_heap_exit(heap, child, true);
	if (!err)
		err = mp_heap_process(heap, child, &number);
	if (err || from == MP_HEAP_NONE)
		return err;
	to = &heap->processes[number];
	to->tally.inherited_objects =
		(heap->processes[from].tally.inuse_objects +
		 MP_HEAP_ONE / 2) / MP_HEAP_ONE +
		heap->processes[from].tally.inherited_objects -
		heap->processes[from].tally.inherited_frees;
	to->tally.inherited_space = heap->processes[from].tally.inuse_space +
				    heap->processes[from].tally.inherited_space;
	return 0;
}

static void drop_blocks(struct mp_heap *heap, uint32_t process)
{
	struct mp_block block;

	mp_heap_peak_settle(heap, process);
	while (mp_blocks_pop(&heap->blocks, process, &block))
		mp_heap_end(heap, &block);
	mp_heap_drop_freed(heap, process);
}

static void forget_thread(struct mp_heap *heap, uint32_t tid, bool lives)
{
	struct mp_heap_thread *thread = mp_heap_thread_find(heap, tid);

	if (!thread)
		return;
	while (lives && thread->depth)
		mp_heap_abandon(heap, thread);
	mp_heap_thread_put(heap, thread);
}

static uint64_t left_of(uint64_t up, uint64_t down)
{
	return up > down ? up - down : 0;
}

/* Takes back what is left of the growth of an address space that ends. */
static void take_growth(struct mp_tally *tally, const struct mp_tally *ended)
{
	const uint64_t brk = left_of(ended->brk_up, ended->brk_down);
	const uint64_t mmap = left_of(ended->mmap_up, ended->mmap_down);

	tally->brk_down += brk;
	tally->mmap_down += mmap;
	/* a recorded value is untrusted: unsigned addition may overflow */
	tally->growth = (int64_t)((uint64_t)tally->growth - brk - mmap);
}

/*
 * Closes the row of a process that exited, which keeps its growth; its cgroup does not. The
 * row may be freed by this call.
 */
static int close_row(struct mp_heap *heap, const struct mp_who *who,
		     uint32_t number)
{
	mp_map_remove(&heap->by_pid, who->pid, 0);
	if (number == heap->overflow)
		return 0;
	if (heap->closing)
		heap->closing(heap->closing_context, number, who->time_ns ?: 1);
	drop_blocks(heap, number);
	take_growth(&heap->total, &heap->processes[number].tally);
	take_growth(&heap->cgroups[heap->processes[number].cgroup].tally,
		    &heap->processes[number].tally);
	heap->processes[number].exit_ns = who->time_ns ? who->time_ns : 1;
	return mp_heap_fold(heap, number);
}

/*
 * Each program that a process executes has its own row, because addresses of the
 * old program have no meaning in the new one.
 */
int mp_heap_exec(struct mp_heap *heap, const struct mp_who *who)
{
	uint32_t before, number, cgroup;
	uint64_t start_ns;
	int err = mp_heap_process(heap, who, &before);

	if (err)
		return err;
	start_ns = heap->processes[before].start_ns;
	cgroup = heap->processes[before].cgroup;
	forget_thread(heap, who->tid, false);
	err = close_row(heap, who, before);
	if (!err)
		err = mp_heap_process(heap, who, &number);
	if (err || number == heap->overflow)
		return err;
	heap->processes[number].start_ns = start_ns;
	heap->processes[number].executed = true;
	heap->processes[number].cgroup = cgroup;
	return 0;
}

int mp_heap_exit(struct mp_heap *heap, const struct mp_who *who, bool last)
{
	uint32_t *known = mp_map_find(&heap->by_pid, who->pid, 0);

	forget_thread(heap, who->tid, !last);
	return last && known ? close_row(heap, who, *known) : 0;
}
