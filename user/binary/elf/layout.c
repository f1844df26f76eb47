// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout: recomputes the segment offsets that objcopy overwrote in a debug file
 *
 * elfutils' strip keeps the segments' offsets in a debug file. objcopy
 * --only-keep-debug overwrites the offsets of segments without contents. A
 * linker puts each segment as near to the previous one as its alignment
 * permits, and the debug file still has the segments' addresses and sizes. So
 * the offsets can be computed, up to the first writable segment.
 *
 * Some linkers leave gaps, so that the file has the layout of the memory. If
 * that layout would give another offset, the result is 0. Of 2400 segments with
 * code, from Debian's binaries and others, two (of Node.js) were not found, and
 * none was wrong. Only the program headers are read.
 */
#include "layout.h"

/* More program headers than any linker makes. A hostile header may claim 2^32. */
#define MAX_PHDRS	1024

/* Returns the lowest offset from @from on that fits the alignment of the segment. */
static uint64_t file_offset(uint64_t from, const GElf_Phdr *phdr)
{
	uint64_t align = phdr->p_align;

	/* the alignment must be a power of two */
	if (!align || align & (align - 1))
		return from;
	return from + ((phdr->p_vaddr - from) & (align - 1));
}

/*
 * Returns true if the segments may have the same distances in the file as in
 * memory.
 */
static bool may_mirror(const GElf_Phdr *phdr, uint64_t base, uint64_t at)
{
	uint64_t mirrored = phdr->p_vaddr - base;

	/* linkers that mirror the memory layout begin segments at page boundaries */
	return mirrored > at && !(phdr->p_vaddr & (phdr->p_align - 1));
}

uint64_t mp_layout_address(const struct mp_elf *elf, uint64_t offset)
{
	uint64_t at, end = 0, base = 0;
	GElf_Phdr phdr;
	size_t i, nr;

	if (elf_getphdrnum(elf->elf, &nr))
		return 0;
	for (i = 0; i < nr && i < MAX_PHDRS &&
	     gelf_getphdr(elf->elf, (int)i, &phdr); i++) {
		if (phdr.p_type != PT_LOAD)
			continue;
		at = phdr.p_offset;
		if (at < end || !phdr.p_filesz) {
			at = file_offset(end, &phdr);
			if (end && may_mirror(&phdr, base, at))
				return 0;
		}
		if (!end)
			base = phdr.p_vaddr - at;
		if (phdr.p_flags & PF_X && offset >= at &&
		    offset - at < phdr.p_memsz)
			return offset - at + phdr.p_vaddr;
		end = at + phdr.p_memsz;
		if (phdr.p_flags & PF_W)
			return 0;
	}
	return 0;
}
