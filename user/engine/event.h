/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event: defines an event, which a source reports to the engine
 */
#ifndef MP_EVENT_H
#define MP_EVENT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Value of mp_event.stack: the source reports no stack. */
#define MP_EVENT_NO_STACK	UINT32_MAX

/* Flag in mp_event.stack: the lower bits are the number of a dump to unwind. */
#define MP_EVENT_DUMP		(1U << 31)

/* Size of a command name with its NUL, the kernel's TASK_COMM_LEN. */
#define MP_EVENT_COMM_SIZE	16

/**
 * enum mp_event_kind - kind of an event; most kinds have a member in struct
 * mp_event
 * @MP_EVENT_ALLOC: a block was allocated
 * @MP_EVENT_DEALLOC: a block was freed
 * @MP_EVENT_ENTER: a call of an allocator function began
 * @MP_EVENT_LEAVE: that call returned
 * @MP_EVENT_FAULT: a page fault
 * @MP_EVENT_GROW: an address space changed its size
 * @MP_EVENT_SYSCALL: a system call that can change an address space began
 * @MP_EVENT_SYSRET: that system call returned
 * @MP_EVENT_MAP: a file or executable anonymous memory was mapped
 * @MP_EVENT_COMM: a task got a command name
 * @MP_EVENT_FORK: a process or a thread was created
 * @MP_EVENT_EXIT: a thread exited; has no member
 * @MP_EVENT_BREAK: the source reports a process's program break
 * @MP_EVENT_AREA: the source reports addresses that a process maps
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
	MP_EVENT_AREA,
};

/**
 * struct mp_event - one event; a tagged union of 64 bytes
 * @time_ns: time by the source's clock; 0: before the begin of the recording
 * @cgroup: id of the cgroup; 0: not known
 * @pid: process id; for MP_EVENT_FORK of the new process
 * @tid: thread id; for MP_EVENT_FORK of the new thread
 * @kind: enum mp_event_kind
 * @func: enum memprof_func, for ALLOC, ENTER and LEAVE
 * @stack: the caller's stack, for ALLOC, ENTER, LEAVE, FAULT, GROW and SYSCALL:
 *	a number of mp_merge_stack(), MP_EVENT_DUMP with a number of
 *	mp_merge_dump(), or MP_EVENT_NO_STACK
 * @alloc: @ptr: the block; @size: its bytes; @space: bytes that the sample
 *	stands for;
 * @objects: blocks that the sample stands for, in units of 2^-16
 * @dealloc: @ptr: the block; @sp: stack pointer at the function's entry, @ra: the
 *	return address; 0: not known
 * @enter: @size: requested bytes; @old: the block passed to a realloc, or 0;
 *	@sp: stack pointer at the entry; @jumped: a probed function jumped to this
 *	function (tail call), so both functions return at the same time
 * @leave: @result: return value; @sp: stack pointer at the entry
 * @fault: @addr: the address; @weight: faults that this sample stands for;
 *	@major: the page was read from disk; @own: @stack is the fault's own
 *	stack, not the stack of the surrounding allocator call
 * @grow: @delta: bytes; @brk: by brk(), else by a mapping; @advised: 0, or the bytes that
 *	madvise() gave back, then @delta is 0; @own: as for @fault
 * @syscall: @call: enum mp_syscall; @args: its first three arguments; @flags: the
 *	fourth
 * @sysret: @call: enum mp_syscall; @result: its return value
 * @map: @start, @size, @offset: of the mapping, in bytes; @file: a number of
 *	mp_merge_file(); @other: executable memory without a file
 * @comm: @name: with its NUL; @exec: set by exec
 * @fork: @parent: process id of the parent; for a thread the process itself
 * @program_break: @end: address of the program break
 * @area: @start, @size: in bytes; @access: it can be accessed; @segment: of shmat();
 *	@stack: of the first thread; @by_kernel: the kernel reports it while it maps,
 *	else it is from /proc; @sampler: of libmemprof
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
			uint64_t ptr, sp, ra;
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
			uint64_t advised;
			bool brk, own;
		} grow;
		struct {
			uint64_t args[3];
			uint32_t flags;
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
		struct {
			uint64_t start, size;
			bool access, segment, stack, by_kernel, sampler;
		} area;
	};
};

static_assert(sizeof(struct mp_event) == 64, "one cache line: millions wait in order");

#endif
