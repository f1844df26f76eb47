/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscalls: computes by how many bytes system calls change an address space
 *
 * The size is the number of bytes that can be accessed: what is only reserved
 * (PROT_NONE) is not counted. areas stores them, so a call counts with what it really
 * changes, and the same call again changes nothing.
 *
 * Older recordings have no calls of mprotect(). There only arguments and results
 * decide: a reservation counts, a mapping that replaces another one counts with its
 * full size, and munmap() with the length in its arguments.
 */
#ifndef MP_SYSCALLS_H
#define MP_SYSCALLS_H

#include "areas.h"
#include "event.h"
#include "map.h"

#include <stdbool.h>
#include <stddef.h>

/* Number of a process that stands for several processes. */
#define MP_SYSCALLS_MANY	UINT32_MAX

enum mp_syscall {
	MP_SYSCALL_BRK,
	MP_SYSCALL_MMAP,
	MP_SYSCALL_MUNMAP,
	MP_SYSCALL_MREMAP,
	MP_SYSCALL_MPROTECT,
	MP_SYSCALL_SHMAT,
	MP_SYSCALL_SHMDT,
	MP_SYSCALL_MADVISE,
};

struct mp_syscall_flight {
	uint32_t call;			/* enum mp_syscall */
	uint32_t stack;
	uint64_t args[3];
	uint32_t flags;
	uint64_t taken;			/* bytes that the call took at its begin */
	int64_t reported;		/* bytes by which the kernel's reports changed it */
	bool sampler;			/* it maps libmemprof */
	uint32_t next;			/* if the slot is free: next free slot + 1 */
};

/**
 * struct mp_syscall_change - effect of a system call on its address space
 * @brk: the call was brk()
 * @sampler: it mapped libmemprof
 * @stack: the stack passed to mp_syscalls_enter()
 * @delta: bytes
 * @advised: bytes of the range whose pages it gave back; the range stays
 */
struct mp_syscall_change {
	bool brk, sampler;
	uint32_t stack;
	int64_t delta;
	uint64_t advised;
};

/**
 * struct mp_syscalls - system calls in progress; all zero means empty
 * @areas: what can be accessed in each process
 * @has_areas: the source reports all that changes @areas. The caller sets it before
 *	the first call
 */
struct mp_syscalls {
	struct mp_areas areas;
	bool has_areas;
	struct mp_syscall_flight *flights;
	size_t nr, max;
	uint32_t free;			/* first free slot + 1 */
	uint64_t nr_endless;		/* calls whose end was not seen */
	struct mp_map by_tid;
	uint64_t *breaks;
	size_t nr_breaks, max_breaks;
	uint32_t free_break;		/* first free slot + 1 */
	struct mp_map by_pid;		/* pid -> slot of the process in @breaks */
};

/**
 * mp_syscalls_enter - a system call begins
 * @process: number of the process; MP_SYSCALLS_MANY for several: then only arguments
 *	decide
 * @event: of the kind MP_EVENT_SYSCALL
 * @stack: number of the caller's stack
 *
 * Return: 0, or -ENOMEM.
 */
int mp_syscalls_enter(struct mp_syscalls *calls, uint32_t process,
		      const struct mp_event *event, uint32_t stack);

/**
 * mp_syscalls_leave - a system call returns
 * @process: see above
 * @event: of the kind MP_EVENT_SYSRET
 * @change: out
 *
 * Return: true if the call changed the size of the address space, or gave pages back;
 * false if it did not, or if the change is not known.
 */
bool mp_syscalls_leave(struct mp_syscalls *calls, uint32_t process,
		       const struct mp_event *event,
		       struct mp_syscall_change *change);

/**
 * mp_syscalls_area - the source reports an area
 * @process: number of the process
 * @event: of the kind MP_EVENT_AREA
 *
 * The kernel reports the whole area of which a mapping became a part. So if events of
 * system calls were lost, the next report in this area makes up for them.
 *
 * Return: bytes by which the address space changed without a system call that is known.
 */
int64_t mp_syscalls_area(struct mp_syscalls *calls, uint32_t process,
			 const struct mp_event *event);

/** mp_syscalls_fork - set the break of a new process to its parent's break */
void mp_syscalls_fork(struct mp_syscalls *calls, uint32_t parent,
		      uint32_t child);

/** mp_syscalls_break - set the break of a process, unless it is known */
void mp_syscalls_break(struct mp_syscalls *calls, uint32_t pid, uint64_t at);

/**
 * mp_syscalls_exec - forget the break of a process that executes a new program
 * @process: number of the process from now on; or MP_SYSCALLS_MANY
 */
void mp_syscalls_exec(struct mp_syscalls *calls, uint32_t process, uint32_t pid);

/** mp_syscalls_exit - a thread exited; @last: its process exited, too */
void mp_syscalls_exit(struct mp_syscalls *calls, uint32_t pid, uint32_t tid,
		      bool last);

/** mp_syscalls_mark - set @stacks[number] for each stack of a call in progress */
void mp_syscalls_mark(const struct mp_syscalls *calls, bool *stacks, size_t nr);

/** mp_syscalls_free - free all memory; the object is empty afterwards */
void mp_syscalls_free(struct mp_syscalls *calls);

#endif
