/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * python-point: finds the Python interpreter in a binary
 */
#ifndef MP_PYTHON_POINT_H
#define MP_PYTHON_POINT_H

#include "elf-file.h"
#include "scan.h"

/**
 * mp_python_point_find - find what other programs may know of an interpreter
 * @python: out; all zero: the binary has no interpreter
 *
 * Source: .dynsym, which is in stripped files, too.
 */
void mp_python_point_find(const struct mp_elf *elf, struct mp_python_point *python);

#endif
