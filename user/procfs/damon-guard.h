/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * damon-guard: a process that gives DAMON back if the program that took it is killed
 */
#ifndef MP_DAMON_GUARD_H
#define MP_DAMON_GUARD_H

#include <sys/types.h>

/** struct mp_damon_guard - the process; pid 0: none */
struct mp_damon_guard {
	pid_t pid;
	int pipe;
};

/**
 * mp_damon_guard_begin - begin to guard
 * @lock: file that the guard keeps open, so that nobody takes DAMON before it has ended
 * @give_back: called in the guard, if the caller ends without mp_damon_guard_end()
 *
 * Return: 0, or a negative errno.
 */
int mp_damon_guard_begin(struct mp_damon_guard *guard, int lock, void (*give_back)(void));

/** mp_damon_guard_end - the caller has given DAMON back itself */
void mp_damon_guard_end(struct mp_damon_guard *guard);

#endif
