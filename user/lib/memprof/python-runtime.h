/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * python-runtime.h: the Python interpreter of this process.
 */
#ifndef MEMPROF_PYTHON_RUNTIME_H
#define MEMPROF_PYTHON_RUNTIME_H

#include "python-layout.h"

struct dl_phdr_info;

/*
 * @runtime: address of _PyRuntime; 0: no interpreter was met
 * @code_type: address of PyCode_Type
 * @layout: NULL: the interpreter's version is not known
 * @get_allocator, @set_allocator: functions of the interpreter, or NULL
 */
struct mp_python {
	uintptr_t runtime;
	uintptr_t code_type;
	const struct mp_python_layout *layout;
	void (*get_allocator)(int domain, void *allocator);
	void (*set_allocator)(int domain, void *allocator);
};

#pragma GCC visibility push(hidden)

const struct mp_python *mp_python_find(void);
const struct mp_python *mp_python_known(void);
void mp_python_meet(const struct dl_phdr_info *info);

#pragma GCC visibility pop

#endif
