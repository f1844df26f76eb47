/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * python-frames.h: puts the functions of Python into a stack.
 */
#ifndef MEMPROF_PYTHON_FRAMES_H
#define MEMPROF_PYTHON_FRAMES_H

#include "memprof_internal.h"

#pragma GCC visibility push(hidden)

struct mp_python;

bool mp_python_has_one_interpreter(const struct mp_python *python);
bool mp_python_frames(struct MemProfThreadState *thread, const uintptr_t *stack_pointers,
		      bool *is_cut);

#pragma GCC visibility pop

#endif
