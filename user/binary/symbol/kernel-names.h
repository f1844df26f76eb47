/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel-names: keeps the functions of kernel addresses that were looked up
 */
#ifndef MP_KERNEL_NAMES_H
#define MP_KERNEL_NAMES_H

#include "symbols.h"

/**
 * mp_kernel_names_find - mp_symbolise_kernel() for the running kernel, with a memory
 * @text, @spots, @nr, @symbols: as there
 *
 * The list of the kernel's functions is read only if one of the addresses is new. What was
 * found is kept for the process's life, until a kernel module comes or goes.
 *
 * Return: as there.
 */
int mp_kernel_names_find(const uint64_t text[2], struct mp_spot *spots, size_t nr,
			 struct mp_symbols *symbols);

#endif
