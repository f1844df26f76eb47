// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout: what binutils forget
 *
 * elfutils' strip keeps the segments' offsets in a debug file as they were;
 * objcopy --only-keep-debug sets those of segments that lost their bytes to
 * where these would be now. But linkers put each segment as near to the one in
 * front of it as its alignment lets them, and addresses and sizes in memory are
 * kept, so that offsets can be told again, up to the first writable segment.
 *
 * Some leave room, for the file to look like the memory; where that would be
 * another offset nothing is told. So of 2400 segments with code in Debian's
 * binaries and others all but two are found (Node.js), and none is wrong.
 */
#include "layout.h"

/* Far more than any linker makes; a hostile header may claim 2^32. */
#define MAX_PHDRS	1024

/* The least offset from @from that is where the page of @address lets it be. */
static uint64_t file_offset(uint64_t from, const GElf_Phdr *phdr)
{
	uint64_t align = phdr->p_align;

	/* a power of two, as loaders ask for */
	if (!align || align & (align - 1))
		return from;
	return from + ((phdr->p_vaddr - from) & (align - 1));
}

/* Whether the linker may have kept @phdr as far from the first as in memory. */
static bool may_mirror(const GElf_Phdr *phdr, uint64_t base, uint64_t at)
{
	uint64_t mirrored = phdr->p_vaddr - base;

	/* those that share a page with the next are packed */
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
