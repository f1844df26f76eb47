// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mmap-hooks.c: replaces mmap, munmap and mremap in the host.
 *
 * Mappings are a separate kind of sample. They are sampled only if MEMPROF_MMAP is 1.
 * Mappings that the C library or the kernel creates internally are not sampled. A
 * mapping is one block. The block does not change if only a part of it is unmapped,
 * or if another mapping replaces a part of it.
 */
#include "mmap-hooks.h"

#include "bloom.h"
#include "next.h"
#include "region-file.h"
#include "sampled.h"
#include "sampler.h"

#include <stdarg.h>
#include <sys/mman.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

int mp_mmap_wanted;

static void sample_mapping(void *p, size_t size, struct mp_registers regs)
{
	if (p != MAP_FAILED && mp_sampler_counts_down(size) && mp_sampler_ended(size))
		mp_sample_alloc(p, size, MEMPROF_REGION_MMAP, regs);
}

MEMPROF_API __attribute__((noinline))
void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t at)
{
	void *p = mp_next.mmap(addr, size, prot, flags, fd, at);

	if (mp_mmap_wanted)
		sample_mapping(p, size, MP_CALLERS_REGISTERS());
	return p;
}

MEMPROF_API __attribute__((noinline))
void *mmap64(void *addr, size_t size, int prot, int flags, int fd, off64_t at)
{
	void *p = mp_next.mmap64(addr, size, prot, flags, fd, at);

	if (mp_mmap_wanted)
		sample_mapping(p, size, MP_CALLERS_REGISTERS());
	return p;
}

MEMPROF_API int munmap(void *p, size_t size)
{
	struct mp_exact exact;
	bool taken = mp_mmap_wanted && mp_bloom_first_bit((uintptr_t)p) &&
		     mp_sample_take(p, &exact);
	int error = mp_next.munmap(p, size);

	if (taken && (error || size < exact.size))
		mp_sample_put_back(p, &exact);
	else if (taken)
		mp_sample_freed(p, &exact);
	return error;
}

MEMPROF_API __attribute__((noinline))
void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	struct mp_exact exact;
	bool taken = mp_mmap_wanted && mp_bloom_first_bit((uintptr_t)old) &&
		     mp_sample_take(old, &exact);
	va_list args;
	void *to, *p;

	va_start(args, flags);
	to = flags & (MREMAP_FIXED | MREMAP_DONTUNMAP) ? va_arg(args, void *) :
							 NULL;
	va_end(args);
	p = mp_next.mremap(old, old_size, size, flags, to);
	/* with an old size of 0, mremap() duplicates a MAP_SHARED mapping: both exist */
	if (taken && (p == MAP_FAILED || flags & MREMAP_DONTUNMAP || !old_size))
		mp_sample_put_back(old, &exact);
	else if (taken)
		mp_sample_freed(old, &exact);
	if (mp_mmap_wanted)
		sample_mapping(p, size, MP_CALLERS_REGISTERS());
	return p;
}
