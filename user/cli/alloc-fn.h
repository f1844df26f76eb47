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
 * mp_alloc_fn_take - parse the option
 * @functions: the function is added to it
 * @verb: verb of the option, for messages
 * @value: NAME=KIND
 *
 * Return: 0, or MP_EXIT_USAGE after printing a message.
 */
int mp_alloc_fn_take(struct mp_user_functions *functions, const char *verb,
		     const char *value);

#endif
