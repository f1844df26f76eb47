/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf-file: opens a program or a library for its symbols and its code
 */
#ifndef MP_ELF_FILE_H
#define MP_ELF_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mp_elf - an open file
 * @fd: belongs to the caller
 * @dwfl: finds the debug file
 * @mod: the file in @dwfl
 * @elf: the file itself
 * @bias: subtract it from libdwfl's addresses to get addresses of the file
 * @machine: EM_* of the code
 * @is_static: a program without shared libraries
 */
struct mp_elf {
	int fd;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Elf *elf;
	GElf_Addr bias;
	uint16_t machine;
	bool is_static;
};

/**
 * struct mp_symbol - a function defined in the file
 * @name: ends at the '@' of a version or at NUL; untrusted
 * @address: virtual address in the file
 * @size: bytes; 0: not known
 * @is_ifunc: @address is of a resolver that returns the function's address
 */
struct mp_symbol {
	const char *name;
	uint64_t address;
	uint64_t size;
	bool is_ifunc;
};

/**
 * mp_elf_open - open a file that this machine can run
 * @fd: readable; not closed, also not by mp_elf_close()
 * @path: for messages and to find a debug file beside it
 *
 * Return: NULL, or the reason for a failure, a constant text. After a failure
 * there is nothing to close.
 */
const char *mp_elf_open(struct mp_elf *elf, int fd, const char *path);

/**
 * mp_elf_is_build - check whether a file has a build-id
 * @build_id: @size bytes; a size of 0 matches any file
 *
 * A file that replaced the binary must not be used: its symbols would be wrong.
 */
bool mp_elf_is_build(const struct mp_elf *elf, const uint8_t *build_id,
		     size_t size);

/** mp_elf_close - free all except the file descriptor */
void mp_elf_close(struct mp_elf *elf);

/**
 * mp_elf_symbols - call a function for each defined function
 * @take: called for each symbol, for some more than once; returns false to stop
 * @context: passed to @take
 *
 * Source: .symtab of the file or of its debug file, else .dynsym and
 * .gnu_debugdata.
 *
 * Return: number of calls; 0 for a stripped file.
 */
size_t mp_elf_symbols(const struct mp_elf *elf,
		      bool (*take)(void *context, const struct mp_symbol *),
		      void *context);

/**
 * mp_elf_offset - get the file offset of a virtual address
 * @code: the address must be executable
 *
 * Return: the offset; 0: not in the file.
 */
uint64_t mp_elf_offset(const struct mp_elf *elf, uint64_t address, bool code);

/**
 * mp_elf_address - get the virtual address of a file offset in code
 *
 * Return: the address; 0: not in code.
 */
uint64_t mp_elf_address(const struct mp_elf *elf, uint64_t offset);

/**
 * mp_elf_code - read code
 * @address: virtual address
 * @buf: @size bytes
 *
 * Return: bytes read; 0 if there is no code.
 */
size_t mp_elf_code(const struct mp_elf *elf, uint64_t address, void *buf,
		   size_t size);

#endif
