/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event: what a source tells, in 64 bytes
 */
#ifndef MP_EVENT_H
#define MP_EVENT_H

#include <stdint.h>

#define MP_EVENT_NO_STACK	UINT32_MAX

/* In a stack's place: a number of the dumps instead, to be unwound. */
#define MP_EVENT_DUMP		(1U << 31)
#define MP_EVENT_COMM_SIZE	16

/**
 * enum mp_event_kind - what happened, and what the fields then mean
 * @MP_EVENT_ALLOC: a block: ptr, size, what it stands for in space and objects
 * @MP_EVENT_DEALLOC: a block's end: ptr, sp
 * @MP_EVENT_ENTER: a call of func begins: size, old, sp; ptr: whether it was
 *	reached by a jump from one that is followed, and returns for that one
 * @MP_EVENT_LEAVE: it ends: ptr, sp
 * @MP_EVENT_FAULT: a page was touched: ptr, the faults it stands for in objects;
 *	func: whether it was major; old: whether its stack is its own, not that of
 *	the call that it happened in
 * @MP_EVENT_GROW: an address space changed its size by size, as an int64_t;
 *	func: whether by brk; old: as of a fault
 * @MP_EVENT_SYSCALL: a system call begins: func: enum mp_syscall; its first three
 *	arguments in ptr, size, old
 * @MP_EVENT_SYSRET: it ends: func; ptr: what it returns
 * @MP_EVENT_MAP: a file was mapped: ptr, size, pgoff in old, its number in stack;
 *	func: memory of no file was, to run code from
 * @MP_EVENT_COMM: a name, MP_EVENT_COMM_SIZE bytes with its NUL over ptr and size;
 *	func: whether by exec
 * @MP_EVENT_FORK: pid and tid are new; old: the pid that they come from
 * @MP_EVENT_EXIT: tid ended
 * @MP_EVENT_BREAK: where the break of a process is: ptr
 */
enum mp_event_kind {
	MP_EVENT_ALLOC,
	MP_EVENT_DEALLOC,
	MP_EVENT_ENTER,
	MP_EVENT_LEAVE,
	MP_EVENT_FAULT,
	MP_EVENT_GROW,
	MP_EVENT_SYSCALL,
	MP_EVENT_SYSRET,
	MP_EVENT_MAP,
	MP_EVENT_COMM,
	MP_EVENT_FORK,
	MP_EVENT_EXIT,
	MP_EVENT_BREAK,
};

/**
 * struct mp_event - one of them
 * @time_ns: of the source's clock
 * @cgroup: id; 0: not known
 * @stack: who called: a number of the stacks' table, or MP_EVENT_DUMP and one of
 *	the dumps; MP_EVENT_NO_STACK where the source does not tell
 */
struct mp_event {
	uint64_t time_ns;
	uint64_t cgroup;
	uint32_t pid;
	uint32_t tid;
	uint16_t kind;
	uint16_t func;
	uint32_t stack;
	uint64_t ptr;
	uint64_t size;
	union {
		uint64_t old;
		uint64_t space;
	};
	union {
		uint64_t sp;
		uint64_t objects;
	};
};

#endif
