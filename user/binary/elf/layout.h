/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout: finds addresses of the stripped file with its debug file only
 */
#ifndef MP_LAYOUT_H
#define MP_LAYOUT_H

#include "elf-file.h"

/**
 * mp_layout_address - virtual address of an offset in the stripped file
 * @elf: the debug file
 *
 * Return: the address; 0: not in code, or not known.
 */
uint64_t mp_layout_address(const struct mp_elf *elf, uint64_t offset);

#endif
