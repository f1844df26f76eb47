/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc-fn: parses the option --alloc-fn NAME=KIND
 */
#ifndef MP_ALLOC_FN_H
#define MP_ALLOC_FN_H

#include "alloc-function.h"
#include "command.h"

#define MP_ALLOC_FN_VALUES \
	"malloc calloc realloc reallocarray memalign posix_memalign free rust_realloc"

/**
 * mp_alloc_fn_take - parse the option's value and add it to a struct
 * mp_user_functions
 */
int mp_alloc_fn_take(void *to, const struct mp_argument *argument);

#endif
