/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kallsyms: finds the names of kernel functions
 */
#ifndef MP_KALLSYMS_H
#define MP_KALLSYMS_H

#include "symbols.h"

/**
 * mp_symbolise_kernel - find the functions of kernel addresses
 * @path: NULL for /proc/kallsyms
 * @text: start and end of the kernel's code when the addresses were recorded;
 *	NULL if it is the same kernel
 * @spots: addresses in any order; user addresses are ignored. Out: runs of one
 *	line without a file, "function" or "function [module]"
 * @nr: number of @spots
 * @symbols: the runs are appended
 *
 * It reads 10 MB, in tens of milliseconds. If the kernel hides its addresses
 * (kptr_restrict), nothing is found.
 *
 * Return: 0; -ESTALE if it is another kernel or another boot; another negative
 * errno.
 */
int mp_symbolise_kernel(const char *path, const uint64_t text[2],
			struct mp_spot *spots, size_t nr,
			struct mp_symbols *symbols);

#endif
