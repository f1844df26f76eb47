/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf-file: an executable or a library, opened for its symbols and its code
 */
#ifndef MP_ELF_FILE_H
#define MP_ELF_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mp_elf - an open file
 * @fd: the caller's, stays open
 * @dwfl: finds the debug file
 * @mod: the file, in @dwfl
 * @elf: the file itself
 * @bias: to subtract from addresses that libdwfl gives
 * @is_x86_64: its instructions can be looked at
 * @is_static: a program that loads no libraries
 */
struct mp_elf {
	int fd;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Elf *elf;
	GElf_Addr bias;
	bool is_x86_64;
	bool is_static;
};

/**
 * struct mp_symbol - a function that the file defines
 * @name: ends at a version's '@' or at NUL; not printable
 * @address: virtual, in the file
 * @size: bytes, or 0 where the file does not say
 * @is_ifunc: @address is that of a function that chooses the real one
 */
struct mp_symbol {
	const char *name;
	uint64_t address;
	uint64_t size;
	bool is_ifunc;
};

/**
 * mp_elf_open - open a file that this machine can run
 * @fd: readable; not closed, not even by mp_elf_close()
 * @path: for messages and to find a debug file beside it
 *
 * Return: NULL, or why not, a constant text; then there is nothing to close.
 */
const char *mp_elf_open(struct mp_elf *elf, int fd, const char *path);

/**
 * mp_elf_is_build - whether a file is the one that is meant
 * @build_id: @size bytes; none fit any file
 *
 * What is found in a file's successor would be a lie.
 */
bool mp_elf_is_build(const struct mp_elf *elf, const uint8_t *build_id,
		     size_t size);

/** mp_elf_close - free all but the file descriptor */
void mp_elf_close(struct mp_elf *elf);

/**
 * mp_elf_symbols - every function that the file defines
 * @take: called for each, some more than once; returns false to end it
 *
 * Source: .symtab, of the file or else of its debug file, or else .dynsym and
 * .gnu_debugdata.
 *
 * Return: how many were given; 0 for a stripped file.
 */
size_t mp_elf_symbols(const struct mp_elf *elf,
		      bool (*take)(void *context, const struct mp_symbol *),
		      void *context);

/**
 * mp_elf_offset - where a virtual address is in the file
 * @code: the address must be executable
 *
 * Return: the offset, or 0: not in the file.
 */
uint64_t mp_elf_offset(const struct mp_elf *elf, uint64_t address, bool code);

/**
 * mp_elf_address - the virtual address of an offset in the file's code
 *
 * Return: the address, or 0.
 */
uint64_t mp_elf_address(const struct mp_elf *elf, uint64_t offset);

/**
 * mp_elf_code - read code
 * @address: virtual
 * @buf: @size bytes
 *
 * Return: bytes read, 0 where there is no code.
 */
size_t mp_elf_code(const struct mp_elf *elf, uint64_t address, void *buf,
		   size_t size);

#endif
