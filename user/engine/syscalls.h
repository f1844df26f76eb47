/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscalls: by how much the memory calls change an address space
 *
 * Told from arguments and results alone: a mapping over another one counts in
 * full, and what munmap() is asked for counts, mapped or not.
 */
#ifndef MP_SYSCALLS_H
#define MP_SYSCALLS_H

#include "event.h"
#include "map.h"

#include <stdbool.h>
#include <stddef.h>

enum mp_syscall {
	MP_SYSCALL_BRK,
	MP_SYSCALL_MMAP,
	MP_SYSCALL_MUNMAP,
	MP_SYSCALL_MREMAP,
};

struct mp_syscall_flight {
	uint32_t call;			/* enum mp_syscall */
	uint32_t stack;
	uint64_t args[3];
	uint32_t next;			/* free ones */
};

/**
 * struct mp_syscall_change - what a call did to its address space
 * @brk: whether it was brk()
 * @stack: what mp_syscalls_enter() was told
 * @delta: bytes
 */
struct mp_syscall_change {
	bool brk;
	uint32_t stack;
	int64_t delta;
};

/**
 * struct mp_syscalls - calls in flight; all zero is none
 */
struct mp_syscalls {
	struct mp_syscall_flight *flights;
	size_t nr, max;
	uint32_t free;			/* + 1 */
	struct mp_map by_tid;
	uint64_t *breaks;
	size_t nr_breaks, max_breaks;
	uint32_t free_break;		/* + 1 */
	struct mp_map by_pid;		/* pid -> its break */
};

/**
 * mp_syscalls_enter - a call begins
 * @stack: of who calls, any number
 *
 * Return: 0, or -ENOMEM.
 */
int mp_syscalls_enter(struct mp_syscalls *calls, uint32_t tid, uint32_t call,
		      const uint64_t *args, uint32_t stack);

/**
 * mp_syscalls_leave - a call ends
 * @change: out
 *
 * Return: whether it is known to have changed something.
 */
bool mp_syscalls_leave(struct mp_syscalls *calls, uint32_t pid, uint32_t tid,
		       uint32_t call, uint64_t result,
		       struct mp_syscall_change *change);

/** mp_syscalls_fork - a child has its parent's break */
void mp_syscalls_fork(struct mp_syscalls *calls, uint32_t parent,
		      uint32_t child);

/** mp_syscalls_break - where the break of a process is, unless it is known */
void mp_syscalls_break(struct mp_syscalls *calls, uint32_t pid, uint64_t at);

/** mp_syscalls_exec - a new program's break is not known */
void mp_syscalls_exec(struct mp_syscalls *calls, uint32_t pid);

/** mp_syscalls_exit - a thread ended, the last one with its process */
void mp_syscalls_exit(struct mp_syscalls *calls, uint32_t pid, uint32_t tid,
		      bool last);

/** mp_syscalls_mark - mark the stacks of calls that did not end */
void mp_syscalls_mark(const struct mp_syscalls *calls, bool *stacks, size_t nr);

/** mp_syscalls_free - free all; none is left afterwards */
void mp_syscalls_free(struct mp_syscalls *calls);

#endif
