// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What of a stack may be read, on signal stacks, coroutines' and those that a
 * program made for its threads, too. The kernel is asked page by page, upwards from
 * the stack pointer, and no farther than a walk wants to go: by an invalid
 * rt_sigprocmask(), which needs neither a descriptor nor a permission, and says
 * EFAULT or EINVAL before it changes anything.
 *
 * Cost: 0.1 us a page, once per thread and page; again on another stack. Nothing for
 * the first thread, so that programs that lock themselves in (seccomp) go on.
 */
#include "stack-bounds.h"

#include "own-syscall.h"

#include <errno.h>
#include <sys/auxv.h>

#define PAGE		4096UL
#define ROOM_FOR_MAIN	(64UL << 20)
/* No frame is larger. */
#define FARTHEST	(8UL << 20)
/* A stack pointer this far below what is known may be of the same stack. */
#define NEAR		(256UL << 10)

/* The first thread's stack. Written before main(). */
static uintptr_t main_low, main_high;

/**
 * mp_stack_page_is_readable() - now, that is
 * @at: an address
 */
bool mp_stack_page_is_readable(uintptr_t at)
{
	return mp_own_syscall(SYS_rt_sigprocmask, -1, at & ~(PAGE - 1), 0, 8, 0,
			      0) == -EINVAL;
}

static bool are_readable(uintptr_t from, uintptr_t to)
{
	while (from < to && mp_stack_page_is_readable(from))
		from += PAGE;
	return from >= to;
}

/**
 * mp_stack_end() - up to where may be read from the stack pointer on?
 * @thread: the calling thread's state
 * @sp: in use
 *
 * Return: what is known so far, the end of a page; 0 where nothing can be known.
 */
uintptr_t mp_stack_end(MemProfThreadState *thread, uintptr_t sp)
{
	const uintptr_t page = sp & ~(PAGE - 1);

	if (sp >= thread->stack_low && sp < thread->stack_high)
		return thread->stack_high;
	if (sp >= main_low && sp < main_high) {
		thread->stack_low = main_low;
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
 * mp_stack_reach() - may be read up to there?
 * @thread: the calling thread's state, after mp_stack_end()
 * @end: where the walk wants to go
 *
 * Return: what is known now; less than @end where that is out of reach.
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
 * mp_stack_main() - note where the first thread's stack is
 *
 * The kernel puts the program's name at its end, and keeps 128 MB below for it.
 */
void mp_stack_main(void)
{
	const uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t name = getauxval(AT_EXECFN) & ~7UL;

	if (sp < name && name - sp < ROOM_FOR_MAIN) {
		main_low = name - ROOM_FOR_MAIN;
		main_high = name;
	}
}
