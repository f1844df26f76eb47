/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel-text: finds where the code of the running kernel lies
 */
#ifndef MP_KERNEL_TEXT_H
#define MP_KERNEL_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * mp_kernel_text - the addresses of the running kernel's code
 * @text: first address
 * @etext: end address
 *
 * Source: /proc/kallsyms, of which the first 6 MB are read. The cache of symbols has
 * the answer until the next boot.
 *
 * Return: whether they are known; the kernel hides them from most users.
 */
bool mp_kernel_text(uint64_t *text, uint64_t *etext);

#endif
