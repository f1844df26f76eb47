/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments, return address and stack pointer of a user function. */
#ifndef _MEMPROF_COMPAT_REGS_H
#define _MEMPROF_COMPAT_REGS_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

/*
 * Reads a word of user memory. Returns false if the page is not present. A
 * handler must not wait for a page: a FUSE file system could delay the page
 * without end, and all uprobes of the machine would wait, too.
 */
static inline bool memprof_user_word(unsigned long address, unsigned long *word)
{
	return !copy_from_user_nofault(word, (void __user *)address,
				       sizeof(*word));
}

#ifdef CONFIG_X86_64

/* Whether a call leaves its return address on the stack. */
#define MEMPROF_RETURN_ON_STACK	true

/* The task's own pthread_self(), if its C library is glibc or musl. */
static inline unsigned long memprof_thread_pointer(void)
{
	return current->thread.fsbase;
}

/* Integer arguments 0 to 3 of the System V ABI. */
static inline unsigned long memprof_arg(const struct pt_regs *regs, int i)
{
	switch (i) {
	case 0: return regs->di;
	case 1: return regs->si;
	case 2: return regs->dx;
	}
	return regs->cx;
}

/*
 * Reads the return address of a function at its entry, where the address is on
 * top of the stack. Returns false if the stack cannot be read.
 */
static inline bool memprof_return_address(const struct pt_regs *regs,
					  unsigned long *address)
{
	return memprof_user_word(regs->sp, address);
}

/* The stack pointer at a function's entry, from the registers after its return. */
static inline unsigned long memprof_entry_sp(const struct pt_regs *regs)
{
	return regs->sp - sizeof(long);
}

/*
 * Reads the return address of a call from the stack: @sp is the stack pointer at
 * the entry of the call. Works while the call runs and just after its return.
 * Returns false if the return address cannot be read.
 */
static inline bool memprof_leads_back(const struct pt_regs *regs,
				      unsigned long sp, unsigned long *address)
{
	return memprof_user_word(sp, address);
}

/* Reads register PERF_REG_X86_*; 0 if static probes cannot use the register. */
static inline unsigned long memprof_reg(const struct pt_regs *regs, u32 i)
{
	const unsigned long values[] = {
		regs->ax, regs->bx, regs->cx, regs->dx, regs->si, regs->di,
		regs->bp, regs->sp, regs->ip, 0, 0, 0, 0, 0, 0, 0,
		regs->r8, regs->r9, regs->r10, regs->r11, regs->r12,
		regs->r13, regs->r14, regs->r15,
	};

	return i < ARRAY_SIZE(values) ? values[i] : 0;
}

#elif defined(CONFIG_ARM64)

#define MEMPROF_RETURN_ON_STACK	false

static inline unsigned long memprof_arg(const struct pt_regs *regs, int i)
{
	return regs->regs[i];
}

static inline bool memprof_return_address(const struct pt_regs *regs,
					  unsigned long *address)
{
	*address = regs->regs[30];
	return true;
}

static inline unsigned long memprof_entry_sp(const struct pt_regs *regs)
{
	return regs->sp;
}

/* Frames of an allocator's own functions between its entry and what it calls. */
#define MEMPROF_MAX_FRAMES	16

/*
 * Finds the return address of a call: @sp is the stack pointer at the entry of the
 * call. At its entry and just after its return the address is in the link register.
 * While the call runs, it is in the last frame record below @sp: x29 points to the
 * records, each of which holds the address of the next one and a return address. A
 * signature (pointer authentication) is removed. Returns false if there is no such
 * record, because the functions keep none, or if it cannot be read.
 */
static inline bool memprof_leads_back(const struct pt_regs *regs,
				      unsigned long sp, unsigned long *address)
{
	unsigned long frame = regs->regs[29], next;
	bool found = false;
	int i;

	*address = regs->regs[30];
	if (regs->sp == sp)
		return true;
	for (i = 0; i < MEMPROF_MAX_FRAMES; i++) {
		if (frame < regs->sp || frame >= sp || frame % sizeof(long))
			return found;
		if (!memprof_user_word(frame, &next) ||
		    !memprof_user_word(frame + sizeof(long), address))
			return false;
		*address &= TASK_SIZE_MAX - 1;
		found = true;
		if (next <= frame)
			return false;
		frame = next;
	}
	return false;
}

/* There pthread_self() is at a distance from the register that only the library knows. */
static inline unsigned long memprof_thread_pointer(void)
{
	return 0;
}

/* Reads register PERF_REG_ARM64_*; 0 if static probes cannot use the register. */
static inline unsigned long memprof_reg(const struct pt_regs *regs, u32 i)
{
	if (i == 31)
		return regs->sp;
	return i < 31 ? regs->regs[i] : 0;
}

#else
#error "memprof does not know the calling convention of this architecture"
#endif

#endif
