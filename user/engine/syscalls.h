/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscalls: computes by how many bytes system calls change an address space
 *
 * Only arguments and results are known. So a mapping that replaces another one
 * counts with its full size. munmap() counts with the length in its arguments, even
 * if less was mapped.
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
	uint32_t next;			/* if the slot is free: next free slot + 1 */
};

/**
 * struct mp_syscall_change - effect of a system call on its address space
 * @brk: the call was brk()
 * @stack: the stack passed to mp_syscalls_enter()
 * @delta: bytes
 */
struct mp_syscall_change {
	bool brk;
	uint32_t stack;
	int64_t delta;
};

/** struct mp_syscalls - system calls in progress; all zero means empty */
struct mp_syscalls {
	struct mp_syscall_flight *flights;
	size_t nr, max;
	uint32_t free;			/* first free slot + 1 */
	struct mp_map by_tid;
	uint64_t *breaks;
	size_t nr_breaks, max_breaks;
	uint32_t free_break;		/* first free slot + 1 */
	struct mp_map by_pid;		/* pid -> slot of the process in @breaks */
};

/**
 * mp_syscalls_enter - a system call begins
 * @call: enum mp_syscall
 * @args: first three arguments of the call
 * @stack: number of the caller's stack
 *
 * Return: 0, or -ENOMEM.
 */
int mp_syscalls_enter(struct mp_syscalls *calls, uint32_t tid, uint32_t call,
		      const uint64_t *args, uint32_t stack);

/**
 * mp_syscalls_leave - a system call returns
 * @change: out
 *
 * Return: true if the call changed the size of the address space; false if it did
 * not, or if the change is not known.
 */
bool mp_syscalls_leave(struct mp_syscalls *calls, uint32_t pid, uint32_t tid,
		       uint32_t call, uint64_t result,
		       struct mp_syscall_change *change);

/** mp_syscalls_fork - set the break of a new process to its parent's break */
void mp_syscalls_fork(struct mp_syscalls *calls, uint32_t parent,
		      uint32_t child);

/** mp_syscalls_break - set the break of a process, unless it is known */
void mp_syscalls_break(struct mp_syscalls *calls, uint32_t pid, uint64_t at);

/** mp_syscalls_exec - forget the break of a process that executes a new program */
void mp_syscalls_exec(struct mp_syscalls *calls, uint32_t pid);

/** mp_syscalls_exit - a thread exited; @last: its process exited, too */
void mp_syscalls_exit(struct mp_syscalls *calls, uint32_t pid, uint32_t tid,
		      bool last);

/** mp_syscalls_mark - set @stacks[number] for each stack of a call in progress */
void mp_syscalls_mark(const struct mp_syscalls *calls, bool *stacks, size_t nr);

/** mp_syscalls_free - free all memory; the object is empty afterwards */
void mp_syscalls_free(struct mp_syscalls *calls);

#endif
