/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stack-bounds.h: finds which memory above a stack pointer can be read.
 */
#ifndef MEMPROF_STACK_BOUNDS_H
#define MEMPROF_STACK_BOUNDS_H

#include "memprof_internal.h"

void mp_stack_main(void);
uintptr_t mp_stack_end(MemProfThreadState *thread, uintptr_t sp);
uintptr_t mp_stack_main_end(uintptr_t sp);
uintptr_t mp_stack_reach(MemProfThreadState *thread, uintptr_t end);
bool mp_stack_page_is_readable(uintptr_t at);

#endif
