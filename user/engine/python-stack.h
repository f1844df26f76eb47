/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * python-stack: puts functions of Python into a stack, in place of the interpreter's own
 */
#ifndef MP_PYTHON_STACK_H
#define MP_PYTHON_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define MP_PYTHON_STACK_DEPTH	48

/**
 * struct mp_python_stack - the functions of Python that a thread is in
 * @eval_start, @eval_end: addresses of the function of C that runs them
 * @nr: number of functions
 * @nr_runs: number of runs
 * @cut: outer functions are missing
 * @frames: for each function, innermost first, what stands for it in stacks
 * @runs: how many of the functions each call of the function of C runs, innermost first;
 *	the last one may be cut
 */
struct mp_python_stack {
	uint64_t eval_start, eval_end;
	uint32_t nr, nr_runs;
	bool cut;
	uint64_t frames[MP_PYTHON_STACK_DEPTH];
	uint8_t runs[MP_PYTHON_STACK_DEPTH];
};

/**
 * mp_python_stack_merge - replace frames of the interpreter's function
 * @frames: stack of @nr frames, innermost first, which may end with a mark of stacks.h; has
 *	room for MP_STACKS_DEPTH frames
 *
 * The functions that are left at the end are put there, unless the stack ends with
 * MP_STACKS_BEGIN: what it lacks are callers. Then a stack that was cut reaches the first
 * function of its thread, though functions of C in between are missing. If a call of the interpreter runs no function yet, it
 * stays.
 *
 * Return: the new number of frames.
 */
uint32_t mp_python_stack_merge(const struct mp_python_stack *python, uint64_t *frames,
			       uint32_t nr);

#endif
