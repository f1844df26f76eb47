// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stack-bounds.c: finds which part of a stack can be read.
 *
 * This works for all stacks: signal stacks, stacks of coroutines, and stacks
 * that a program allocates for its threads. The kernel tests one page at a
 * time, upwards from the stack pointer, and only as far as a walk needs. The
 * test is a call of rt_sigprocmask() with an invalid argument. It needs no
 * descriptor and no permission, and fails with EFAULT or EINVAL before it
 * changes anything.
 *
 * Cost: 0.1 us per page, once per thread and page, and again when the thread
 * uses another stack; and a system call per sample, which tells whether the
 * state is still that of the same thread: a later thread with the same thread
 * pointer may have a shorter stack. The first thread needs no test, because its
 * stack is known to be mapped from the lowest stack pointer of a sample upwards.
 * So programs with a seccomp filter continue to work. In other threads of such a
 * program, each page is tested in each sample.
 */
#include "stack-bounds.h"

#include "confinement.h"
#include "own-syscall.h"
#include "thread-table.h"

#include <errno.h>
#include <sys/auxv.h>

#define PAGE		4096UL
/* Half of what the kernel keeps free below the first thread's stack for its growth. */
#define ROOM_FOR_MAIN	(64UL << 20)
/* Limit of a frame's bytes: a walk does not go up by more in one step. */
#define FARTHEST	(8UL << 20)
/*
 * If a stack pointer is less than this many bytes below the known range, it may be on
 * the same stack.
 */
#define NEAR		(256UL << 10)

/* Range reserved for the first thread's stack. Written before main(). */
static uintptr_t main_low, main_high;
/*
 * The part of this range that begins here is known to be mapped. The first
 * thread lowers this address.
 */
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
 * mp_stack_end() - end of the readable range above a stack pointer
 * @thread: state of the calling thread
 * @sp: stack pointer in use
 *
 * Return: first address after the range, as far as it is known; 0 if nothing is known
 * to be readable.
 */
uintptr_t mp_stack_end(MemProfThreadState *thread, uintptr_t sp)
{
	const uintptr_t page = sp & ~(PAGE - 1);

	if (!(sp >= main_low && sp < main_high) && mp_thread_has_changed(thread))
		thread->stack_low = thread->stack_high = 0;
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
 * Return: first address after the stack; 0 if @sp is not in the part of this stack
 * that is known to be mapped.
 */
uintptr_t mp_stack_main_end(uintptr_t sp)
{
	return sp >= __atomic_load_n(&main_mapped, __ATOMIC_RELAXED) &&
	       sp < main_high ? main_high : 0;
}

/**
 * mp_stack_reach() - extend the readable range upwards
 * @thread: state of the calling thread, after mp_stack_end()
 * @end: end of the range that the walk needs
 *
 * Return: end of the readable range; less than @end if memory below @end cannot be
 * read.
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
 * The kernel stores the program's name (AT_EXECFN) at the end of the stack.
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
