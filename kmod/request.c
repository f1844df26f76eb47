// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the arguments of an allocator call from the registers at its entry.
 * Cost: a few registers; for a static probe, perhaps a word of the user's
 * stack.
 */
#include "request.h"
#include <linux/overflow.h>
#include "compat/regs.h"
#include "task.h"

static u64 multiply_saturating(u64 a, u64 b)
{
	u64 c;

	return check_mul_overflow(a, b, &c) ? U64_MAX : c;
}

/**
 * memprof_request_arg() - read an argument of a static probe
 * @arg: where the argument is
 * @regs: user registers at the probe
 * @value: filled in
 *
 * May sleep. Return: whether the argument could be read.
 */
bool memprof_request_arg(const struct memprof_probe_arg *arg,
			 struct pt_regs *regs, unsigned long *value)
{
	switch (arg->kind) {
	case 0:
		*value = arg->value;
		return true;
	case 1:
		*value = memprof_reg(regs, arg->reg);
		return true;
	}
	return memprof_user_word(memprof_reg(regs, arg->reg) + arg->value,
				 value);
}

/**
 * memprof_request_read() - read the size and the block of an allocator call
 * @call: its func is set; size and ptr are filled in
 * @regs: user registers at the entry
 *
 * Return: whether the call allocates; a free does not.
 */
bool memprof_request_read(struct memprof_call *call, struct pt_regs *regs)
{
	unsigned long a = memprof_arg(regs, 0), b = memprof_arg(regs, 1);

	call->ptr = 0;
	switch (call->func) {
	case MEMPROF_FUNC_MALLOC:
		call->size = a;
		return true;
	case MEMPROF_FUNC_CALLOC:
		call->size = multiply_saturating(a, b);
		return true;
	case MEMPROF_FUNC_REALLOC:
		call->ptr = a;
		call->size = b;
		return true;
	case MEMPROF_FUNC_REALLOCARRAY:
		call->ptr = a;
		call->size = multiply_saturating(b, memprof_arg(regs, 2));
		return true;
	case MEMPROF_FUNC_MEMALIGN:
		call->size = b;
		return true;
	case MEMPROF_FUNC_POSIX_MEMALIGN:
		call->ptr = a;
		call->size = memprof_arg(regs, 2);
		return true;
	case MEMPROF_FUNC_RUST_REALLOC:
		call->ptr = a;
		call->size = memprof_arg(regs, 3);
		return true;
	}
	call->ptr = a;
	call->size = 0;
	return false;
}

/**
 * memprof_is_realloc() - does a function free one block and allocate another?
 * @func: enum memprof_func
 */
bool memprof_is_realloc(u32 func)
{
	return func == MEMPROF_FUNC_REALLOC ||
	       func == MEMPROF_FUNC_REALLOCARRAY ||
	       func == MEMPROF_FUNC_RUST_REALLOC;
}
