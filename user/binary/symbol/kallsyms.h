/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kallsyms: names of the kernel's functions
 */
#ifndef MP_KALLSYMS_H
#define MP_KALLSYMS_H

#include "symbols.h"

/**
 * mp_symbolise_kernel - look up addresses of the running kernel
 * @path: NULL for /proc/kallsyms
 * @text: where the kernel's code began and ended when the addresses were taken;
 *	NULL: it is the same kernel
 * @spots: addresses, in any order; those of user space are left alone; out:
 *	runs of one line without a file, "function" or "function [module]"
 * @nr: how many
 * @symbols: the runs are appended
 *
 * Reads 10 MB: tens of milliseconds. Where the kernel hides its addresses
 * (kptr_restrict) nothing is found.
 *
 * Return: 0; -ESTALE where it is another kernel, or another boot's; or another
 * negative errno.
 */
int mp_symbolise_kernel(const char *path, const uint64_t text[2],
			struct mp_spot *spots, size_t nr,
			struct mp_symbols *symbols);

#endif
