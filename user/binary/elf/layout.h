/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout: where code was in the file that a debug file belongs to
 */
#ifndef MP_LAYOUT_H
#define MP_LAYOUT_H

#include "elf-file.h"

/**
 * mp_layout_address - the virtual address of an offset in the stripped file
 * @elf: the debug file
 *
 * Return: the address, or 0: not in code.
 */
uint64_t mp_layout_address(const struct mp_elf *elf, uint64_t offset);

#endif
