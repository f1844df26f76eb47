// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stack-bounds.c: finds which part of a stack can be read.
 *
 * This works for signal stacks, for stacks of coroutines and for stacks that a
 * program allocates for its threads. The kernel tests page by page, upwards
 * from the stack pointer, and only as far as a walk needs. The test is an
 * invalid rt_sigprocmask(): it needs neither a descriptor nor a permission, and
 * returns EFAULT or EINVAL before it changes anything.
 *
 * Cost: 0.1 us a page, once per thread and page; again on another stack. The
 * first thread needs no test, so programs with a seccomp filter continue to
 * work: its stack is mapped from the lowest stack pointer of a sample upwards.
 */
#include "stack-bounds.h"

#include "confinement.h"
#include "own-syscall.h"

#include <errno.h>
#include <sys/auxv.h>

#define PAGE		4096UL
#define ROOM_FOR_MAIN	(64UL << 20)
/* Largest frame. */
#define FARTHEST	(8UL << 20)
/*
 * A stack pointer at most this far below the known range may be on the same
 * stack.
 */
#define NEAR		(256UL << 10)

/* The first thread's stack. Written before main(). */
static uintptr_t main_low, main_high;
/* What of it is known to be mapped begins here. The first thread lowers it. */
static uintptr_t main_mapped;

/**
 * mp_stack_page_is_readable() - test whether a page can be read now
 * @at: an address
 */
bool mp_stack_page_is_readable(uintptr_t at)
{
	return !mp_is_strict() &&
	       mp_own_syscall(SYS_rt_sigprocmask, -1, at & ~(PAGE - 1), 0, 8,
			      0, 0) == -EINVAL;
}

static bool are_readable(uintptr_t from, uintptr_t to)
{
	while (from < to && mp_stack_page_is_readable(from))
		from += PAGE;
	return from >= to;
}

/**
 * mp_stack_end() - end of the range that can be read from the stack pointer on
 * @thread: state of the calling thread
 * @sp: stack pointer in use, so that its page is mapped
 *
 * Return: the known end, the end of a page; 0 if nothing is known.
 */
uintptr_t mp_stack_end(MemProfThreadState *thread, uintptr_t sp)
{
	const uintptr_t page = sp & ~(PAGE - 1);

	if (sp >= thread->stack_low && sp < thread->stack_high)
		return thread->stack_high;
	if (sp >= main_low && sp < main_high) {
		if (page < __atomic_load_n(&main_mapped, __ATOMIC_RELAXED))
			__atomic_store_n(&main_mapped, page, __ATOMIC_RELAXED);
		thread->stack_low = page;
		thread->stack_high = main_high;
	} else if (sp < thread->stack_low && thread->stack_low - sp < NEAR &&
		   are_readable(page, thread->stack_low)) {
		thread->stack_low = page;
	} else if (mp_stack_page_is_readable(page)) {
		thread->stack_low = page;
		thread->stack_high = page + PAGE;
	} else {
		return 0;
	}
	return thread->stack_high;
}

/**
 * mp_stack_main_end() - end of the first thread's stack
 * @sp: any number
 *
 * Return: 0 if @sp is not in the part that is known to be mapped.
 */
uintptr_t mp_stack_main_end(uintptr_t sp)
{
	return sp >= __atomic_load_n(&main_mapped, __ATOMIC_RELAXED) &&
	       sp < main_high ? main_high : 0;
}

/**
 * mp_stack_reach() - extend the range that can be read
 * @thread: state of the calling thread, after mp_stack_end()
 * @end: end that the walk needs
 *
 * Return: the known end; less than @end if that cannot be read.
 */
uintptr_t mp_stack_reach(MemProfThreadState *thread, uintptr_t end)
{
	if (end > thread->stack_high && end - thread->stack_high < FARTHEST)
		while (thread->stack_high < end &&
		       mp_stack_page_is_readable(thread->stack_high))
			thread->stack_high += PAGE;
	return thread->stack_high;
}

/**
 * mp_stack_main() - record the range of the first thread's stack
 *
 * The kernel stores the program's name at its end, and reserves 128 MB below
 * for it.
 */
void mp_stack_main(void)
{
	const uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t name = getauxval(AT_EXECFN) & ~7UL;

	if (sp < name && name - sp < ROOM_FOR_MAIN) {
		main_low = name - ROOM_FOR_MAIN;
		main_high = name;
		main_mapped = sp & ~(PAGE - 1);
	}
}
