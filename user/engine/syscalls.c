// SPDX-License-Identifier: GPL-2.0-only
/*
 * syscalls: pairs the begin and the end of system calls, by thread
 *
 * A change by brk() is the difference between two program breaks. The first break
 * comes from the source, or from the first brk(): C libraries begin with a brk()
 * that only returns the break. If memory is short, a function fails with -ENOMEM,
 * or the break is not known.
 */
#include "syscalls.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE		4096ULL

/* Whether the return value of a system call is an error, -4095 to -1. */
#define IS_ERROR(value)	((value) > (uint64_t)-4096)

int mp_syscalls_enter(struct mp_syscalls *calls, uint32_t tid, uint32_t call,
		      const uint64_t *args, uint32_t stack)
{
	uint32_t *known = mp_map_add(&calls->by_tid, tid, 0);

	if (!known)
		return -ENOMEM;
	if (*known == MP_MAP_NEW && calls->free) {
		*known = calls->free - 1;
		calls->free = calls->flights[*known].next;
	} else if (*known == MP_MAP_NEW) {
		if (calls->nr == calls->max &&
		    !mp_array_grow(&calls->flights, &calls->max, sizeof(*calls->flights))) {
			mp_map_remove(&calls->by_tid, tid, 0);
			return -ENOMEM;
		}
		*known = (uint32_t)calls->nr++;
	}
	calls->flights[*known] = (struct mp_syscall_flight){
		.call = call, .stack = stack,
		.args = { args[0], args[1], args[2] },
	};
	return 0;
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) & -PAGE;
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

static int64_t delta_of(struct mp_syscalls *calls, uint32_t pid, uint64_t result,
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

bool mp_syscalls_leave(struct mp_syscalls *calls, uint32_t pid, uint32_t tid,
		       uint32_t call, uint64_t result,
		       struct mp_syscall_change *change)
{
	uint32_t *known = mp_map_find(&calls->by_tid, tid, 0), number;
	struct mp_syscall_flight *flight;

	if (!known)
		return false;
	number = *known;
	flight = &calls->flights[number];
	mp_map_remove(&calls->by_tid, tid, 0);
	change->brk = flight->call == MP_SYSCALL_BRK;
	change->stack = flight->stack;
	change->delta = flight->call == call ?
			delta_of(calls, pid, result, flight) : 0;
	flight->stack = UINT32_MAX;
	flight->next = calls->free;
	calls->free = number + 1;
	return change->delta;
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

void mp_syscalls_exec(struct mp_syscalls *calls, uint32_t pid)
{
	const uint32_t *known = mp_map_find(&calls->by_pid, pid, 0);

	if (known)
		calls->breaks[*known] = 0;
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
	mp_map_free(&calls->by_tid);
	mp_map_free(&calls->by_pid);
	*calls = (struct mp_syscalls){ 0 };
}
