// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout: what binutils forget
 *
 * elfutils' strip keeps the segments' offsets in a debug file as they were;
 * objcopy --only-keep-debug sets those of segments that lost their bytes to
 * where these would be now. But linkers put each segment as near to the one in
 * front of it as its alignment lets them, and addresses and sizes in memory are
 * kept, so that offsets can be told again, up to the first writable segment.
 */
#include "layout.h"

/* Far more than any linker makes; a hostile header may claim 2^32. */
#define MAX_PHDRS	1024

/* The least offset from @from that is where the page of @address lets it be. */
static uint64_t place(uint64_t from, const GElf_Phdr *phdr)
{
	uint64_t align = phdr->p_align;

	/* a power of two, as loaders ask for */
	if (!align || align & (align - 1))
		return from;
	return from + ((phdr->p_vaddr - from) & (align - 1));
}

uint64_t mp_layout_address(const struct mp_elf *elf, uint64_t offset)
{
	uint64_t at, end = 0;
	GElf_Phdr phdr;
	size_t i, nr;

	if (elf_getphdrnum(elf->elf, &nr))
		return 0;
	for (i = 0; i < nr && i < MAX_PHDRS &&
	     gelf_getphdr(elf->elf, (int)i, &phdr); i++) {
		if (phdr.p_type != PT_LOAD)
			continue;
		at = phdr.p_offset < end || !phdr.p_filesz ?
		     place(end, &phdr) : phdr.p_offset;
		if (phdr.p_flags & PF_X && offset >= at &&
		    offset - at < phdr.p_memsz)
			return offset - at + phdr.p_vaddr;
		end = at + phdr.p_memsz;
		if (phdr.p_flags & PF_W)
			return 0;
	}
	return 0;
}
