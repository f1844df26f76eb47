/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mapping that a stack pointer points into. */
#ifndef MEMPROF_STACK_BOUNDS_H
#define MEMPROF_STACK_BOUNDS_H

#include "memprof_internal.h"

void mp_stack_main(struct MemProfThreadState *thread);
uintptr_t mp_stack_end(struct MemProfThreadState *thread, uintptr_t sp);

#endif
