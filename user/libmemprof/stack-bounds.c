// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From the stack pointer to the end of its mapping everything can be read: also on
 * signal stacks, coroutines' and on those that a program made for its threads, of
 * which pthread_getattr_np() knows nothing (and it allocates).
 *
 * Cost: /proc/self/maps is read once per thread, 20 us and more; again when the
 * thread is on another stack, which may have ended since (the mapping above a
 * coroutine's stack) only if the program unmaps it beside the one in use.
 */
#include "stack-bounds.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define ROOM_FOR_MAIN	(64UL << 20)

struct scan {
	uintptr_t number, begin;
	enum { BEGIN, END, REST } field;
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The next character of "begin-end perms ...". Return: whether an end was read. */
static bool scan_one(struct scan *s, char c)
{
	if (c == '\n') {
		s->field = BEGIN;
		s->number = 0;
	} else if (s->field == REST) {
		return false;
	} else if (digit(c) >= 0) {
		s->number = s->number << 4 | digit(c);
	} else if (s->field == BEGIN) {
		s->begin = s->number;
		s->number = 0;
		s->field = END;
	} else {
		s->field = REST;
		return true;
	}
	return false;
}

static bool scan_maps(int fd, uintptr_t sp, struct scan *s)
{
	char text[1024];
	ssize_t i, n;

	while ((n = read(fd, text, sizeof(text))) > 0)
		for (i = 0; i < n; i++)
			if (scan_one(s, text[i]) && s->begin <= sp &&
			    sp < s->number)
				return true;
	return false;
}

/**
 * mp_stack_end() - up to where may be read from the stack pointer on?
 * @thread: the calling thread's state
 * @sp: in use
 *
 * Return: the end of the mapping, 0 where it is not known. errno is kept.
 */
uintptr_t mp_stack_end(MemProfThreadState *thread, uintptr_t sp)
{
	struct scan s = { 0 };
	int fd, saved = errno;

	if (sp >= thread->stack_low && sp < thread->stack_high)
		return thread->stack_high;
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		errno = saved;
		return 0;
	}
	if (scan_maps(fd, sp, &s)) {
		thread->stack_low = s.begin;
		thread->stack_high = s.number;
	}
	close(fd);
	errno = saved;
	return sp >= thread->stack_low && sp < thread->stack_high ?
	       thread->stack_high : 0;
}

/**
 * mp_stack_main() - look the first thread's stack up, before it is needed
 * @thread: its state
 *
 * It grows down, and the kernel keeps 128 MB below its end for it. Programs that
 * lock themselves in (seccomp) often cannot open files any more later.
 */
void mp_stack_main(struct MemProfThreadState *thread)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	uintptr_t end = mp_stack_end(thread, sp);

	if (end > ROOM_FOR_MAIN && sp > end - ROOM_FOR_MAIN)
		thread->stack_low = end - ROOM_FOR_MAIN;
}
