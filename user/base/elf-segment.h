/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf-segment: finds segments of a 64-bit ELF file, without an ELF library
 */
#ifndef MP_ELF_SEGMENT_H
#define MP_ELF_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * mp_elf_segment - find the next segment of a type
 * @type: type of the segment, such as PT_NOTE, see elf(5)
 * @first: in: index of the program header to begin with; out: index after the
 *	program header that was found
 * @offset: out: offset of the segment in the file, in bytes; not checked
 * @size: out: bytes of the segment in the file; not checked
 *
 * At most 64 program headers are read.
 *
 * Return: true if a segment was found; false if there is no such segment, or if
 * the file is not a 64-bit ELF file.
 */
bool mp_elf_segment(int fd, uint32_t type, unsigned int *first,
		    uint64_t *offset, uint64_t *size);

#endif
