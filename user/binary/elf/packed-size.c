// SPDX-License-Identifier: GPL-2.0-only
/*
 * packed-size: adds up the decompressed sizes in section headers
 *
 * A few bytes are read for each section. A header that cannot be read counts as
 * 0, because libdw cannot read it either.
 */
#include "packed-size.h"

#include <gelf.h>
#include <stdint.h>
#include <string.h>

/* Header of older compilers' compressed sections: "ZLIB", then the size in big-endian. */
#define OLD_HEADER	12

static uint64_t old_size(Elf *elf, const GElf_Shdr *shdr)
{
	Elf_Data *data = shdr->sh_size < OLD_HEADER ? NULL :
			 elf_getdata_rawchunk(elf, (int64_t)shdr->sh_offset,
					      OLD_HEADER, ELF_T_BYTE);
	const uint8_t *at = data ? data->d_buf : NULL;
	uint64_t size = 0;
	int i;

	if (!at || memcmp(at, "ZLIB", 4))
		return 0;
	for (i = 4; i < OLD_HEADER; i++)
		size = size << 8 | at[i];
	return size;
}

/* Returns the decompressed size of a section in bytes; 0 if it is not compressed. */
static uint64_t unpacked_size(Elf *elf, Elf_Scn *section, const GElf_Shdr *shdr,
			      size_t names)
{
	const char *name;
	GElf_Chdr chdr;

	if (shdr->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &chdr) ? chdr.ch_size : 0;
	name = elf_strptr(elf, names, shdr->sh_name);
	return name && !strncmp(name, ".zdebug", 7) ? old_size(elf, shdr) : 0;
}

bool mp_packed_is_bounded(Elf *elf)
{
	uint64_t unpacked = 0, packed = 0, size;
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return true;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &shdr))
			continue;
		size = unpacked_size(elf, section, &shdr, names);
		if (size > MP_PACKED_MAX)
			return false;
		unpacked += size;
		packed += size ? shdr.sh_size : 0;
		if (unpacked > MP_PACKED_MAX)
			return false;
	}
	return unpacked <= MP_PACKED_FREE ||
	       unpacked - MP_PACKED_FREE <= packed * MP_PACKED_RATIO;
}

bool mp_packed_is_bounded_in(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool is_bounded = !elf || mp_packed_is_bounded(elf);

	elf_end(elf);
	return is_bounded;
}
