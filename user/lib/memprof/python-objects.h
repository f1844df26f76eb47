/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * python-objects.h: samples the small objects of Python.
 */
#ifndef MEMPROF_PYTHON_OBJECTS_H
#define MEMPROF_PYTHON_OBJECTS_H

#pragma GCC visibility push(hidden)

void mp_python_objects_begin(void);
void mp_python_objects_end(void);

#pragma GCC visibility pop

#endif
