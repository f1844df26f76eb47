/* SPDX-License-Identifier: GPL-2.0-only */
/* What a user function was called with, per architecture. */
#ifndef _MEMPROF_COMPAT_REGS_H
#define _MEMPROF_COMPAT_REGS_H

#include <linux/ptrace.h>
#include <linux/uaccess.h>

/*
 * A word of user memory. A handler must not wait for a page: it may be one that
 * a stranger's file system hands out, and the kernel's uprobes would wait along.
 */
static inline bool memprof_user_word(unsigned long address, unsigned long *word)
{
	return !copy_from_user_nofault(word, (void __user *)address,
				       sizeof(*word));
}

#ifdef CONFIG_X86_64

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
 * At a function's entry the return address is on top of the stack, just pushed.
 * False: the stack is none.
 */
static inline bool memprof_return_address(const struct pt_regs *regs,
					  unsigned long *address)
{
	return memprof_user_word(regs->sp, address);
}

/* The stack pointer at entry, told from the registers after the return. */
static inline unsigned long memprof_entry_sp(const struct pt_regs *regs)
{
	return regs->sp - sizeof(long);
}

/*
 * Where a call that was entered at @sp leads back to, or did: also after its
 * return, and while it runs. False: that cannot be told.
 */
static inline bool memprof_leads_back(const struct pt_regs *regs,
				      unsigned long sp, unsigned long *address)
{
	return memprof_user_word(sp, address);
}

/* In the order of PERF_REG_X86_*, as far as a static probe may name them. */
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

#else

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

/* In the link register only, until it calls something itself. */
static inline bool memprof_leads_back(const struct pt_regs *regs,
				      unsigned long sp, unsigned long *address)
{
	*address = regs->regs[30];
	return regs->sp == sp;
}

static inline unsigned long memprof_reg(const struct pt_regs *regs, u32 i)
{
	return i < 31 ? regs->regs[i] : 0;
}

#endif

#endif
