// SPDX-License-Identifier: GPL-2.0-only
/*
 * syscalls: pairs the begin and the end of system calls, by thread
 *
 * A change by brk() is the difference between two program breaks. The first break
 * comes from the source, or from the first brk(): C libraries begin with a brk()
 * that only returns the break. If memory is short, a function fails with -ENOMEM,
 * or the break is not known.
 *
 * What a call gives back is taken from the areas when the call begins, because
 * another thread may get the same addresses before the call returns. What a call adds
 * is added when it returns. A call costs O(log n) for n areas of the process.
 */
#include "syscalls.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE		4096ULL

/* Whether the return value of a system call is an error, -4095 to -1. */
#define IS_ERROR(value)	((value) > (uint64_t)-4096)

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP	4
#endif

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED	24
#endif

/* What permits an access. PROT_NONE has none of these. */
#define ACCESS	(PROT_READ | PROT_WRITE | PROT_EXEC)

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) & -PAGE;
}

/* End of a range whose length is in the arguments of a call. Recordings may lie. */
static uint64_t end_of(uint64_t start, uint64_t bytes)
{
	uint64_t end;

	return __builtin_add_overflow(start, whole_pages(bytes), &end) ? start : end;
}

/* Takes what a call gives back if it succeeds. Returns the number of bytes. */
static uint64_t take_early(struct mp_syscalls *calls, uint32_t process,
			   struct mp_syscall_flight *flight)
{
	const uint64_t *args = flight->args;

	switch (flight->call) {
	case MP_SYSCALL_SHMDT:
		flight->args[1] = mp_areas_segment(&calls->areas, process, args[0]);
		break;
	case MP_SYSCALL_MUNMAP:
		/* the kernel refuses it */
		if (args[0] % PAGE)
			return 0;
		break;
	case MP_SYSCALL_MREMAP:
		break;
	default:
		return 0;
	}
	return mp_areas_take(&calls->areas, process, args[0], end_of(args[0], args[1]));
}

/* A program's first call comes after all that exec maps. */
static void end_exec(struct mp_syscalls *calls, uint32_t process)
{
	struct mp_area_space *space = mp_areas_space(&calls->areas, process);

	if (space && space->begins) {
		space->begins = false;
		space->known = true;
	}
}

int mp_syscalls_enter(struct mp_syscalls *calls, uint32_t process,
		      const struct mp_event *event, uint32_t stack)
{
	uint32_t *known = mp_map_add(&calls->by_tid, event->tid, 0);
	struct mp_syscall_flight *flight;

	if (!known)
		return -ENOMEM;
	if (*known == MP_MAP_NEW && calls->free) {
		*known = calls->free - 1;
		calls->free = calls->flights[*known].next;
	} else if (*known == MP_MAP_NEW) {
		if (calls->nr == calls->max &&
		    !mp_array_grow(&calls->flights, &calls->max, sizeof(*calls->flights))) {
			mp_map_remove(&calls->by_tid, event->tid, 0);
			return -ENOMEM;
		}
		*known = (uint32_t)calls->nr++;
	} else {
		calls->nr_endless++;
	}
	flight = &calls->flights[*known];
	*flight = (struct mp_syscall_flight){
		.call = event->syscall.call, .stack = stack,
		.flags = event->syscall.flags,
	};
	memcpy(flight->args, event->syscall.args, sizeof(flight->args));
	if (calls->has_areas && process != MP_SYSCALLS_MANY) {
		end_exec(calls, process);
		flight->taken = take_early(calls, process, flight);
	}
	return 0;
}

/* Sets the break of a process. Returns the previous break; 0: not known. */
static uint64_t swap_break(struct mp_syscalls *calls, uint32_t pid,
			   uint64_t now)
{
	uint32_t *known = mp_map_add(&calls->by_pid, pid, 0);
	uint64_t before;

	if (!known)
		return 0;
	if (*known == MP_MAP_NEW && calls->free_break) {
		*known = calls->free_break - 1;
		calls->free_break = (uint32_t)calls->breaks[*known];
		calls->breaks[*known] = 0;
	} else if (*known == MP_MAP_NEW) {
		if (calls->nr_breaks == calls->max_breaks &&
		    !mp_array_grow(&calls->breaks, &calls->max_breaks, sizeof(*calls->breaks))) {
			mp_map_remove(&calls->by_pid, pid, 0);
			return 0;
		}
		*known = (uint32_t)calls->nr_breaks++;
		calls->breaks[*known] = 0;
	}
	before = calls->breaks[*known];
	calls->breaks[*known] = now;
	return before;
}

/* The change of size as the arguments tell it. */
static int64_t delta_by_args(struct mp_syscalls *calls, uint32_t pid, uint64_t result,
			     const struct mp_syscall_flight *flight)
{
	const uint64_t *args = flight->args;
	uint64_t before;

	switch (flight->call) {
	case MP_SYSCALL_BRK:
		before = swap_break(calls, pid, result);
		return before ? (int64_t)(whole_pages(result) -
					  whole_pages(before)) : 0;
	case MP_SYSCALL_MMAP:
		return IS_ERROR(result) ? 0 :
					      (int64_t)whole_pages(args[1]);
	case MP_SYSCALL_MUNMAP:
		return result ? 0 : (int64_t)-whole_pages(args[1]);
	case MP_SYSCALL_MREMAP:
		return IS_ERROR(result) ? 0 :
		       (int64_t)(whole_pages(args[2]) - whole_pages(args[1]));
	}
	return 0;
}

/* Makes a range accessible, or not. Returns the change. */
static int64_t set_access(struct mp_syscalls *calls, uint32_t process, uint64_t start,
			  uint64_t end, bool access)
{
	return access ?
	       (int64_t)mp_areas_add(&calls->areas, process, start, end, false) :
	       -(int64_t)mp_areas_take(&calls->areas, process, start, end);
}

static int64_t move_break(struct mp_syscalls *calls, uint32_t process, uint32_t pid,
			  uint64_t result)
{
	uint64_t before = swap_break(calls, pid, result);
	uint64_t from = whole_pages(before), to = whole_pages(result);

	if (!before)
		return 0;
	return to > from ? set_access(calls, process, from, to, true) :
			   set_access(calls, process, to, from, false);
}

/* The old place is taken already. What could not be accessed cannot after the move. */
static int64_t move_mapping(struct mp_syscalls *calls, uint32_t process, uint64_t result,
			    const struct mp_syscall_flight *flight)
{
	const uint64_t *args = flight->args;
	int64_t delta = -(int64_t)flight->taken;

	if (!flight->taken)
		return set_access(calls, process, result, end_of(result, args[2]),
				  false);
	if (flight->flags & MREMAP_DONTUNMAP)
		delta += set_access(calls, process, args[0],
				    end_of(args[0], args[1]), true);
	return delta + set_access(calls, process, result, end_of(result, args[2]), true);
}

static int64_t attach(struct mp_syscalls *calls, uint32_t process, uint64_t result,
		      const struct mp_syscall_flight *flight)
{
	uint64_t end = end_of(result, flight->args[1]), taken;

	/* with SHM_REMAP it replaces what was there */
	taken = mp_areas_take(&calls->areas, process, result, end);
	return (int64_t)(mp_areas_add(&calls->areas, process, result, end, true) - taken);
}

/* A call that failed gives nothing back. */
static void restore(struct mp_syscalls *calls, uint32_t process,
		    const struct mp_syscall_flight *flight)
{
	mp_areas_add(&calls->areas, process, flight->args[0],
		     end_of(flight->args[0], flight->taken),
		     flight->call == MP_SYSCALL_SHMDT);
}

/* The change of size as the areas tell it. */
static int64_t delta_by_areas(struct mp_syscalls *calls, uint32_t process, uint32_t pid,
			      uint64_t result, const struct mp_syscall_flight *flight)
{
	const uint64_t *args = flight->args;

	if (IS_ERROR(result)) {
		restore(calls, process, flight);
		return 0;
	}
	switch (flight->call) {
	case MP_SYSCALL_BRK:
		return move_break(calls, process, pid, result);
	case MP_SYSCALL_MMAP:
		return set_access(calls, process, result, end_of(result, args[1]),
				  args[2] & ACCESS);
	case MP_SYSCALL_MPROTECT:
		return set_access(calls, process, args[0], end_of(args[0], args[1]),
				  args[2] & ACCESS);
	case MP_SYSCALL_MUNMAP:
	case MP_SYSCALL_SHMDT:
		return -(int64_t)flight->taken;
	case MP_SYSCALL_MREMAP:
		return move_mapping(calls, process, result, flight);
	case MP_SYSCALL_SHMAT:
		return attach(calls, process, result, flight);
	}
	return 0;
}

/* Whether madvise() gives the pages of its range back. */
static bool gives_back(uint64_t advice)
{
	return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE ||
	       advice == MADV_DONTNEED_LOCKED;
}

bool mp_syscalls_leave(struct mp_syscalls *calls, uint32_t process,
		       const struct mp_event *event,
		       struct mp_syscall_change *change)
{
	uint32_t *known = mp_map_find(&calls->by_tid, event->tid, 0), number;
	const uint64_t result = event->sysret.result;
	struct mp_syscall_flight *flight;

	if (!known)
		return false;
	number = *known;
	flight = &calls->flights[number];
	mp_map_remove(&calls->by_tid, event->tid, 0);
	change->brk = flight->call == MP_SYSCALL_BRK;
	change->sampler = flight->sampler;
	change->stack = flight->stack;
	change->delta = 0;
	change->advised = 0;
	if (flight->call == MP_SYSCALL_MADVISE && event->sysret.call == flight->call &&
	    !result && gives_back(flight->args[2]))
		change->advised = whole_pages(flight->args[1]);
	if (flight->call != event->sysret.call)
		change->delta = -(int64_t)flight->taken;
	else if (calls->has_areas && process != MP_SYSCALLS_MANY)
		change->delta = delta_by_areas(calls, process, event->pid, result,
					       flight);
	else
		change->delta = delta_by_args(calls, event->pid, result, flight);
	change->delta += flight->reported;
	flight->stack = UINT32_MAX;
	flight->next = calls->free;
	calls->free = number + 1;
	return change->delta || change->advised;
}

/* An area of the kernel's report is a result of this call, or there is no call. */
static int64_t take_report(struct mp_syscalls *calls, uint32_t process,
			   const struct mp_event *event,
			   struct mp_syscall_flight *flight)
{
	const uint64_t start = event->area.start, end = start + event->area.size;
	const struct mp_area_space *space = mp_areas_space(&calls->areas, process);
	bool known = space && space->known;
	int64_t delta;

	if (flight)
		flight->sampler |= event->area.sampler;
	/* the result of shmat() does not tell the size of the segment */
	if (flight && flight->call == MP_SYSCALL_SHMAT) {
		flight->args[1] = event->area.size;
		return 0;
	}
	/* the report may have older mappings, which are no growth */
	if (flight && !known)
		return 0;
	delta = set_access(calls, process, start, end, event->area.access);
	if (flight)
		flight->reported += delta;
	return flight || !known ? 0 : delta;
}

int64_t mp_syscalls_area(struct mp_syscalls *calls, uint32_t process,
			 const struct mp_event *event)
{
	const uint32_t *known = mp_map_find(&calls->by_tid, event->tid, 0);
	const uint64_t start = event->area.start, end = start + event->area.size;
	struct mp_area_space *space;

	if (!calls->has_areas)
		return 0;
	if (event->area.by_kernel)
		return take_report(calls, process, event,
				   known ? &calls->flights[*known] : NULL);
	if (event->area.access)
		mp_areas_add(&calls->areas, process, start, end,
			     event->area.segment);
	/* the last but for mappings of the kernel itself */
	space = event->area.stack ? mp_areas_space(&calls->areas, process) : NULL;
	if (space)
		space->known = true;
	return 0;
}

void mp_syscalls_fork(struct mp_syscalls *calls, uint32_t parent,
		      uint32_t child)
{
	const uint32_t *known = mp_map_find(&calls->by_pid, parent, 0);

	swap_break(calls, child, known ? calls->breaks[*known] : 0);
}

void mp_syscalls_break(struct mp_syscalls *calls, uint32_t pid, uint64_t at)
{
	if (!mp_map_find(&calls->by_pid, pid, 0))
		swap_break(calls, pid, at);
}

void mp_syscalls_exec(struct mp_syscalls *calls, uint32_t process, uint32_t pid)
{
	const uint32_t *known = mp_map_find(&calls->by_pid, pid, 0);
	struct mp_area_space *space = NULL;

	if (known)
		calls->breaks[*known] = 0;
	if (calls->has_areas && process != MP_SYSCALLS_MANY)
		space = mp_areas_space(&calls->areas, process);
	if (space)
		space->begins = true;
}

static void forget_call(struct mp_syscalls *calls, uint32_t tid)
{
	uint32_t *known = mp_map_find(&calls->by_tid, tid, 0);

	if (!known)
		return;
	calls->flights[*known].stack = UINT32_MAX;
	calls->flights[*known].next = calls->free;
	calls->free = *known + 1;
	mp_map_remove(&calls->by_tid, tid, 0);
}

/* Frees the slot of a process's break. Free slots are a linked list. */
static void forget_break(struct mp_syscalls *calls, uint32_t pid)
{
	uint32_t *known = mp_map_find(&calls->by_pid, pid, 0);

	if (!known)
		return;
	calls->breaks[*known] = calls->free_break;
	calls->free_break = *known + 1;
	mp_map_remove(&calls->by_pid, pid, 0);
}

void mp_syscalls_exit(struct mp_syscalls *calls, uint32_t pid, uint32_t tid,
		      bool last)
{
	forget_call(calls, tid);
	if (last)
		forget_break(calls, pid);
}

void mp_syscalls_mark(const struct mp_syscalls *calls, bool *stacks, size_t nr)
{
	size_t i;

	for (i = 0; i < calls->nr; i++)
		if (calls->flights[i].stack < nr)
			stacks[calls->flights[i].stack] = true;
}

void mp_syscalls_free(struct mp_syscalls *calls)
{
	free(calls->flights);
	free(calls->breaks);
	mp_areas_free(&calls->areas);
	mp_map_free(&calls->by_tid);
	mp_map_free(&calls->by_pid);
	*calls = (struct mp_syscalls){ 0 };
}
