/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout: converts file offsets to addresses if only the debug file is present
 */
#ifndef MP_LAYOUT_H
#define MP_LAYOUT_H

#include "elf-file.h"

/**
 * mp_layout_address - get the virtual address of an offset in the stripped file
 * @elf: the debug file
 *
 * Return: the address; 0 if the offset is not in code, or the layout is not
 * known.
 */
uint64_t mp_layout_address(const struct mp_elf *elf, uint64_t offset);

#endif
