/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf-segment: the program headers of a 64-bit ELF file, read without a library
 */
#ifndef MP_ELF_SEGMENT_H
#define MP_ELF_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * mp_elf_segment - find a segment
 * @type: PT_NOTE and the like, see elf(5)
 * @first: in: index of the program header to begin with; out: index behind the one
 *	that was found
 * @offset, @size: out, of the segment in the file; not checked
 *
 * At most 64 program headers are read.
 *
 * Return: whether there is one; false also where the file is no 64-bit ELF file.
 */
bool mp_elf_segment(int fd, uint32_t type, unsigned int *first,
		    uint64_t *offset, uint64_t *size);

#endif
