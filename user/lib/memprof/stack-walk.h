/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stack-walk.h: finds the callers of a function.
 */
#ifndef MEMPROF_STACK_WALK_H
#define MEMPROF_STACK_WALK_H

#include "memprof_internal.h"

/*
 * Registers of a function. pc: the instruction at which it continues after a
 * call.
 */
struct mp_registers {
	uintptr_t pc;
	uintptr_t sp;
	uintptr_t bp;
};

/*
 * The caller's stack pointer. On arm64 the saved frame pointer and return address are
 * not at the end of the frame, but somewhere in it.
 */
#ifdef __aarch64__
#define MP_CALLERS_SP()	((uintptr_t)__builtin_dwarf_cfa())
#else
#define MP_CALLERS_SP()	((uintptr_t)__builtin_frame_address(0) + 16)
#endif

/* Registers of the caller of the function that contains this call. */
#define MP_CALLERS_REGISTERS() ((struct mp_registers){			\
	.pc = (uintptr_t)__builtin_return_address(0),			\
	.sp = MP_CALLERS_SP(),						\
	.bp = *(uintptr_t *)__builtin_frame_address(0),			\
})

/* Why a walk ended. The stack is complete only after MP_WALK_WHOLE. */
enum mp_walk { MP_WALK_WHOLE, MP_WALK_CUT, MP_WALK_LOST, MP_WALK_NOTHING };

enum mp_walk mp_unwind(MemProfThreadState *thread, struct mp_registers regs,
		       uintptr_t *frames, uintptr_t *stack_pointers, int max_depth,
		       int skip, int *depth);
void mp_unwind_forget(void);
void mp_unwind_copy(uintptr_t start, uintptr_t home, size_t size);

#endif
