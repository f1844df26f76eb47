/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine: what an injection needs to know about an architecture
 */
#ifndef MP_MACHINE_H
#define MP_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/* Largest state of the vector and other extended registers, in bytes. */
#define MP_MACHINE_EXTENDED_SIZE	16384

/* Largest frame that mp_machine.make_home can write, in bytes. */
#define MP_MACHINE_HOME_SIZE	(MP_MACHINE_EXTENDED_SIZE + 1024)

/* No gadget is longer, in bytes. */
#define MP_GADGET_SIZE	16

/**
 * struct mp_machine_priority - the beginning of the kernel's struct sched_attr
 * @size: of this structure; 0: the priority is not changed
 * @policy: SCHED_OTHER, ...
 * @flags: as the kernel has them
 * @nice: -20 to 19
 * @priority: of real-time policies
 * @slice_ns: how long the thread runs at once; 0: as long as others
 * @deadline, @period: of SCHED_DEADLINE
 */
struct mp_machine_priority {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t slice_ns, deadline, period;
};

/**
 * struct mp_machine_state - all that a stopped thread has to get back
 * @general: general registers, with the system call that was interrupted
 * @extended: extended registers, as the kernel's register set has them
 * @nr_extended: bytes of @extended
 * @mask: blocked signals
 * @priority: its place in the queue for a CPU
 */
struct mp_machine_state {
	struct user_regs_struct general;
	unsigned char extended[MP_MACHINE_EXTENDED_SIZE];
	size_t nr_extended;
	uint64_t mask;
	struct mp_machine_priority priority;
};

/**
 * struct mp_machine_gadgets - addresses of instructions in the C library
 * @system_call: a system call, and a return
 * @go_home: the call of rt_sigreturn
 */
struct mp_machine_gadgets {
	uint64_t system_call;
	uint64_t go_home;
};

/**
 * struct mp_machine_system_call - a system call for another thread
 * @number: of the call
 * @args: its arguments
 */
struct mp_machine_system_call {
	long number;
	uint64_t args[6];
};

/**
 * struct mp_machine_request - a function call for another thread; the code of
 *	mp_machine.code reads and writes it in the thread's memory
 * @function: address of the function
 * @args: its arguments
 * @errno_location: address of __errno_location()
 * @dlerror: address of dlerror(), which is called if @result is 0; or 0
 * @result: what the function returned
 * @error: what dlerror() returned
 * @home: address of the frame that leads home
 * @is_done: 1 when all of this is done
 * @now: of the clock that bounds the wait for the tracer
 */
struct mp_machine_request {
	uint64_t function;
	uint64_t args[3];
	uint64_t errno_location;
	uint64_t dlerror;
	uint64_t result;
	uint64_t error;
	uint64_t home;
	uint64_t is_done;
	uint64_t now[2];
};

/**
 * struct mp_machine - an architecture
 * @extended_set: number of the kernel's set of extended registers
 * @code: instructions that carry out a struct mp_machine_request
 * @nr_code: bytes of @code
 * @find_gadgets: look for the gadgets that are still 0 in @size bytes of @text,
 *	which lie at @address
 * @is_native: the thread runs code of this architecture, not 32-bit code
 * @make_home: write the frames that lead home, for the address @at, into @frame
 *	of MP_MACHINE_HOME_SIZE bytes; returns their size. The first word is the
 *	return address of a system call. The first frame is @home_offset bytes
 *	above @at. It gives the thread its priority, and leads to the second one
 * @home_offset: see @make_home
 * @set_system_call: set the registers for a call whose return leads to @home
 * @set_request: set the registers for a request
 * @result: result of a system call
 * @interrupted: number of the system call that the stop interrupted; -1: none
 * @waits: whether the call with this number only waits. No allocator makes it
 * @is_waiting: whether a stopped thread only waits, and is in no allocator
 * @make_repeatable: after a stop: have a call that ended by EINTR repeated; returns
 *	whether the registers were changed
 * @waits_shortly: whether the call with this number waits, perhaps for a lock
 * @pc, @sp, @thread_pointer: these registers
 * @dwarf_sp: DWARF's number of the stack pointer
 */
struct mp_machine {
	unsigned int extended_set;
	const unsigned char *code;
	size_t nr_code;
	size_t home_offset;
	void (*find_gadgets)(struct mp_machine_gadgets *gadgets, uint64_t address,
			     const unsigned char *text, size_t size);
	bool (*is_native)(const struct mp_machine_state *state);
	size_t (*make_home)(const struct mp_machine_state *state,
			    const struct mp_machine_gadgets *gadgets, uint64_t at,
			    unsigned char *frame);
	void (*set_system_call)(struct user_regs_struct *regs,
				const struct mp_machine_gadgets *gadgets,
				const struct mp_machine_system_call *call,
				uint64_t home);
	void (*set_request)(struct user_regs_struct *regs, uint64_t code,
			    uint64_t request, uint64_t stack);
	long (*result)(const struct user_regs_struct *regs);
	long (*interrupted)(const struct user_regs_struct *regs);
	bool (*waits)(long number);
	bool (*waits_shortly)(long number);
	bool (*is_waiting)(const struct user_regs_struct *regs);
	bool (*make_repeatable)(struct user_regs_struct *regs);
	uint64_t (*pc)(const struct user_regs_struct *regs);
	uint64_t (*sp)(const struct user_regs_struct *regs);
	uint64_t (*thread_pointer)(const struct user_regs_struct *regs);
	int dwarf_sp;
};

/** mp_machine - the architecture of this program; NULL: injection cannot be done on it */
const struct mp_machine *mp_machine(void);

#endif
