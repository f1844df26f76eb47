/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc-fn: the option --alloc-fn NAME=KIND
 */
#ifndef MP_ALLOC_FN_H
#define MP_ALLOC_FN_H

#include "alloc-function.h"

#define MP_ALLOC_FN_VALUES \
	"malloc calloc realloc reallocarray memalign posix_memalign free rust_realloc"

/**
 * mp_alloc_fn_take - take in an option
 * @verb: that it was given to
 * @value: NAME=KIND; cut in two
 *
 * Return: 0, or MP_EXIT_USAGE and a message was printed.
 */
int mp_alloc_fn_take(struct mp_user_functions *functions, const char *verb,
		     const char *value);

#endif
