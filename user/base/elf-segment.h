/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf-segment: the program headers of a 64-bit ELF file, read without a library
 */
#ifndef MP_ELF_SEGMENT_H
#define MP_ELF_SEGMENT_H

#include <elf.h>
#include <stdbool.h>

/**
 * mp_elf_header - read the file's header
 *
 * Return: whether it is a 64-bit ELF file whose program headers have the usual size.
 */
bool mp_elf_header(int fd, Elf64_Ehdr *header);

/**
 * mp_elf_segment - find a program header
 * @type: such as PT_NOTE
 * @first: in: index to begin with; out: index behind the one that was found
 * @phdr: out; its numbers are the file's, and not checked
 *
 * At most 64 headers are read.
 *
 * Return: whether there is one.
 */
bool mp_elf_segment(int fd, uint32_t type, unsigned int *first,
		    Elf64_Phdr *phdr);

#endif
