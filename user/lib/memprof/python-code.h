/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * python-code.h: the name, the file and the line of a Python function that runs.
 */
#ifndef MEMPROF_PYTHON_CODE_H
#define MEMPROF_PYTHON_CODE_H

#include "python-runtime.h"

/*
 * A place in a code object.
 * @name, @file: its strings
 * @at: distance of the instruction in the code, in bytes
 */
struct mp_python_code {
	uintptr_t name, file, lines;
	uint64_t at;
	uint32_t first_line;
};

#pragma GCC visibility push(hidden)

bool mp_python_code_read(const struct mp_python *python, uintptr_t code, uintptr_t instr,
			 struct mp_python_code *to);
uint64_t mp_python_code_digest(const struct mp_python *python,
			       const struct mp_python_code *code);
uint32_t mp_python_code_line(const struct mp_python *python,
			     const struct mp_python_code *code);
bool mp_python_code_text(const struct mp_python *python, const struct mp_python_code *code,
			 char *to, size_t size);

#pragma GCC visibility pop

#endif
