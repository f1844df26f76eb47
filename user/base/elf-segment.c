// SPDX-License-Identifier: GPL-2.0-only
/*
 * elf-segment: reads the file header and at most MAX_PHDRS program headers
 *
 * The file is untrusted and can change during the read. So it is read with
 * pread() and never mapped, and the caller must check every offset and size.
 */
#include "elf-segment.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#define MAX_PHDRS	64

bool mp_elf_segment(int fd, uint32_t type, unsigned int *first,
		    uint64_t *offset, uint64_t *size)
{
	Elf64_Ehdr header;
	Elf64_Phdr phdr;
	off_t at;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(phdr))
		return false;
	while (*first < header.e_phnum && *first < MAX_PHDRS) {
		at = (off_t)header.e_phoff + (off_t)*first * (off_t)sizeof(phdr);
		++*first;
		if (pread(fd, &phdr, sizeof(phdr), at) != sizeof(phdr))
			return false;
		*offset = phdr.p_offset;
		*size = phdr.p_filesz;
		if (phdr.p_type == type)
			return true;
	}
	return false;
}
