/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event: one thing that happened, as a source reports it to the engine
 */
#ifndef MP_EVENT_H
#define MP_EVENT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* The source does not know the stack. */
#define MP_EVENT_NO_STACK	UINT32_MAX

/* In a stack's number: it is the number of a dump instead, which is to be unwound. */
#define MP_EVENT_DUMP		(1U << 31)

/* A command name with its NUL, as the kernel has it. */
#define MP_EVENT_COMM_SIZE	16

/**
 * enum mp_event_kind - what happened; each kind has its member in struct mp_event
 * @MP_EVENT_ALLOC: a block was allocated
 * @MP_EVENT_DEALLOC: a block was freed
 * @MP_EVENT_ENTER: a call of an allocator's function began
 * @MP_EVENT_LEAVE: that call ended
 * @MP_EVENT_FAULT: a page was touched that was not there
 * @MP_EVENT_GROW: an address space changed its size
 * @MP_EVENT_SYSCALL: a system call that changes an address space began
 * @MP_EVENT_SYSRET: that system call ended
 * @MP_EVENT_MAP: a file, or memory to run code from, was mapped
 * @MP_EVENT_COMM: a task got a name
 * @MP_EVENT_FORK: a process or a thread was made
 * @MP_EVENT_EXIT: a thread exited; it has no member
 * @MP_EVENT_BREAK: the source tells where a process's program break is
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
 * struct mp_event - one event; a tagged union of 64 bytes
 * @time_ns: of the source's clock; 0: from before the recording
 * @cgroup: id; 0: not known
 * @pid: the process; of MP_EVENT_FORK the new one
 * @tid: the thread; likewise
 * @kind: enum mp_event_kind
 * @func: enum memprof_func of ALLOC, ENTER and LEAVE
 * @stack: who called, of ALLOC, ENTER, LEAVE, FAULT, GROW and SYSCALL: a number of
 *	mp_merge_stack(), or MP_EVENT_DUMP and a number of mp_merge_dump(), or
 *	MP_EVENT_NO_STACK
 * @alloc: @ptr of @size bytes; it stands for @space bytes, and for @objects blocks
 *	in units of 2^-16
 * @dealloc: @ptr; @sp: stack pointer at the function's entry, 0: not known
 * @enter: @size asked for; @old: the block that a realloc is about, or 0; @sp: stack
 *	pointer at the entry; @jumped: reached by a jump from a function that is
 *	probed, so it returns for that one
 * @leave: @result: what the function returns; @sp: stack pointer as it was at the
 *	entry
 * @fault: @addr; @weight: faults that this one stands for; @major: it was read from
 *	disk; @own: the stack is the fault's own, not that of the allocator call
 *	that it happened in
 * @grow: @delta: bytes; @brk: by brk(), else by a mapping; @own: as of @fault
 * @syscall: @call: enum mp_syscall; @args: its first three arguments
 * @sysret: @call: as above; @result: what it returns
 * @map: @size bytes from @start, at @offset in @file, a number of
 *	mp_merge_file(); @other: no file, memory to run code from
 * @comm: @name with its NUL; @exec: by exec
 * @fork: @parent: process id of the parent; for a thread the process itself
 * @program_break: @end: the program break, an address
 */
struct mp_event {
	uint64_t time_ns;
	uint64_t cgroup;
	uint32_t pid;
	uint32_t tid;
	uint16_t kind;
	uint16_t func;
	uint32_t stack;
	union {
		struct {
			uint64_t ptr, size, space, objects;
		} alloc;
		struct {
			uint64_t ptr, sp;
		} dealloc;
		struct {
			uint64_t size, old, sp;
			bool jumped;
		} enter;
		struct {
			uint64_t result, sp;
		} leave;
		struct {
			uint64_t addr, weight;
			bool major, own;
		} fault;
		struct {
			int64_t delta;
			bool brk, own;
		} grow;
		struct {
			uint64_t args[3];
			uint16_t call;
		} syscall;
		struct {
			uint64_t result;
			uint16_t call;
		} sysret;
		struct {
			uint64_t start, size, offset;
			uint32_t file;
			bool other;
		} map;
		struct {
			char name[MP_EVENT_COMM_SIZE];
			bool exec;
		} comm;
		struct {
			uint32_t parent;
		} fork;
		struct {
			uint64_t end;
		} program_break;
	};
};

static_assert(sizeof(struct mp_event) == 64, "one cache line: millions wait in order");

#endif
