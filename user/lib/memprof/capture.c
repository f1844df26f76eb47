// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * capture.c: captures the stack of the caller. It allocates nothing. stack-walk.c
 * explains which memory it reads.
 */
#include "stack-walk.h"
#include "thread-table.h"

#include <string.h>

/* Not inlined, because the caller's registers are found above this function's frame. */
__attribute__((noinline))
int capture_native_stack(uintptr_t *frames, int max_depth, int skip)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();
	MemProfThreadState *t = mp_thread_find();
	int depth;

	if (!t || !frames || max_depth <= 0)
		return 0;
	mp_unwind(t, regs, frames, NULL, max_depth, skip, &depth);
	return depth;
}

__attribute__((noinline))
int capture_mixed_stack(MixedStackCapture *out)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();
	MemProfThreadState *t = mp_thread_find();

	memset(out, 0, sizeof(*out));
	out->flags = MIXED_STACK_NATIVE_ONLY;
	if (!t || mp_unwind(t, regs, out->native_frames, NULL,
			    MEMPROF_MAX_STACK_DEPTH, 0, &out->native_depth) !=
	    MP_WALK_WHOLE)
		out->flags |= MIXED_STACK_TRUNCATED;
	return out->native_depth;
}
