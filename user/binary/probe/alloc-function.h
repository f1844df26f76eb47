/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * function: allocator functions by the names of their symbols
 */
#ifndef MP_FUNCTION_H
#define MP_FUNCTION_H

#include "scan.h"

#define MP_MAX_USER_FUNCTIONS	16

/**
 * struct mp_user_functions - functions that a user declares to be allocators
 * @list: name and enum memprof_func; names are not copied
 */
struct mp_user_functions {
	struct {
		const char *name;
		uint32_t func;
	} list[MP_MAX_USER_FUNCTIONS];
	unsigned int nr;
};

/**
 * struct mp_function - what a name stands for
 * @func: enum memprof_func
 * @layer: who calls it
 * @rank: of two names for one function the lower one is shown
 */
struct mp_function {
	uint32_t func;
	enum mp_layer layer;
	unsigned int rank;
};

/**
 * mp_function_find - what a symbol stands for
 * @user: asked first; may be NULL
 * @name: of the symbol; a version after '@' does not count
 * @function: out
 *
 * Return: whether it is an allocator function.
 */
bool mp_function_find(const struct mp_user_functions *user, const char *name,
		      struct mp_function *function);

/**
 * mp_function_hints_rust - whether a name is one of those that Rust's compiler
 * makes for a program's allocator, which it may have inlined everywhere
 */
bool mp_function_hints_rust(const char *name);

#endif
