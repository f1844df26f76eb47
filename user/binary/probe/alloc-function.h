/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc-function: recognises allocator functions by their symbol names
 */
#ifndef MP_FUNCTION_H
#define MP_FUNCTION_H

#include "scan.h"

#define MP_MAX_USER_FUNCTIONS	16

/**
 * struct mp_user_functions - functions that the user declared as allocators
 * @list: name and enum memprof_func; names are not copied
 * @nr: number of entries
 * @operator_new: probe operator new although it calls malloc, so that its caller is the
 *	outermost one
 */
struct mp_user_functions {
	struct {
		const char *name;
		uint32_t func;
	} list[MP_MAX_USER_FUNCTIONS];
	unsigned int nr;
	bool operator_new;
};

/**
 * struct mp_function - an allocator function
 * @func: enum memprof_func
 * @layer: the interface that it belongs to
 * @rank: if a function has several names, the name with the lowest rank is
 *	shown
 */
struct mp_function {
	uint32_t func;
	enum mp_layer layer;
	unsigned int rank;
};

/**
 * mp_function_find - find the function of a symbol name
 * @user: searched first; may be NULL
 * @name: of the symbol; a version after '@' is ignored
 * @function: out
 *
 * Return: true if it is an allocator function.
 */
bool mp_function_find(const struct mp_user_functions *user, const char *name,
		      struct mp_function *function);

/**
 * mp_function_hints_rust - check whether rustc creates this name for a
 * program's allocator
 *
 * Such a name shows that the program uses Rust's allocator functions, even if
 * all of them were inlined.
 */
bool mp_function_hints_rust(const char *name);

#endif
