// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hooks.c: replaces the allocator's functions in the host. Only libmemprof.so
 * contains it.
 *
 * The fast path of an allocation is a subtraction and a jump to the function of
 * the next allocator, which the host would call without this library (next.h).
 * The slow path is a separate function, which is also reached by a jump, so
 * that its return address is in the host. The fast path of a free tests one bit
 * of the Bloom filter. Cost: 1 ns per allocation and free, without a system
 * call, lock or allocation.
 */
#include "hooks.h"

#include "bloom.h"
#include "bootstrap.h"
#include "module-map.h"
#include "next.h"
#include "reserve.h"
#include "region-file.h"
#include "sampled.h"
#include "sampler.h"

#include <errno.h>
#include <string.h>

#define likely(x)	__builtin_expect(!!(x), 1)
#define SLOW		__attribute__((noinline, cold))
/* Functions that programs call most often begin at a cache line. */
#define HOT		__attribute__((aligned(64)))

static SLOW void *slow_malloc(size_t size)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();
	void *p;

	if (!mp_sampler_ended(size))
		return mp_next.malloc(size);
	p = mp_next.malloc(size);
	mp_sample_alloc(p, size, MEMPROF_REGION_HEAP, regs);
	return p;
}

HOT MEMPROF_API void *malloc(size_t size)
{
	if (likely(!mp_sampler_counts_down(size)))
		return mp_next.malloc(size);
	return slow_malloc(size);
}

static SLOW void slow_free(void *p)
{
	struct mp_exact exact;

	if (mp_bootstrap_owns(p))
		return;
	if (mp_sample_take(p, &exact)) {
		mp_sample_freed(p, &exact);
		if (mp_reserve_keep_freed(p, exact.size))
			return;
	}
	mp_next.free(p);
}

HOT MEMPROF_API void free(void *p)
{
	if (likely(!mp_bloom_first_bit((uintptr_t)p)))
		mp_next.free(p);
	else
		slow_free(p);
}

/* The sized frees of C23. The size and the alignment are not needed. */
MEMPROF_API void free_sized(void *p, size_t size)
{
	(void)size;
	free(p);
}

MEMPROF_API void free_aligned_sized(void *p, size_t alignment, size_t size)
{
	(void)alignment;
	(void)size;
	free(p);
}

static SLOW void *slow_calloc(size_t n, size_t size)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();
	void *p;

	if (!mp_sampler_ended(n * size))
		return mp_next.calloc(n, size);
	p = mp_next.calloc(n, size);
	mp_sample_alloc(p, n * size, MEMPROF_REGION_HEAP, regs);
	return p;
}

MEMPROF_API void *calloc(size_t n, size_t size)
{
	size_t bytes;

	/* if the size overflows, the next allocator returns an error */
	if (__builtin_mul_overflow(n, size, &bytes) || !mp_sampler_counts_down(bytes))
		return mp_next.calloc(n, size);
	return slow_calloc(n, size);
}

static void *move_from_bootstrap(void *p, size_t size)
{
	size_t old = mp_bootstrap_size(p);
	void *to = mp_next.malloc(size);

	return to ? memcpy(to, p, old < size ? old : size) : NULL;
}

/*
 * A realloc of a block that may be sampled. The free of the old block is recorded before
 * the next allocator is called: after that another thread may get the same address.
 */
static void *realloc_taken(void *p, size_t size)
{
	struct mp_exact exact;
	bool taken = mp_sample_take(p, &exact);
	void *to;

	if (taken)
		mp_sample_freed(p, &exact);
	to = mp_next.realloc(p, size);
	if (taken && !to && size)
		mp_sample_not_freed(p, &exact);
	return to;
}

static SLOW void *slow_realloc(void *p, size_t size)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();
	const bool ended = mp_sampler_ended(size);
	void *to;

	if (p && mp_bootstrap_owns(p))
		to = move_from_bootstrap(p, size);
	else if (p)
		to = realloc_taken(p, size);
	else
		to = mp_next.realloc(p, size);
	/* if realloc(p, 0) returns NULL, it freed the block and did not fail */
	if (ended && (to || size))
		mp_sample_alloc(to, size, MEMPROF_REGION_HEAP, regs);
	return to;
}

HOT MEMPROF_API void *realloc(void *p, size_t size)
{
	if (likely(!mp_sampler_counts_down(size) && !mp_bloom_first_bit((uintptr_t)p)))
		return mp_next.realloc(p, size);
	return slow_realloc(p, size);
}

/*
 * This calls realloc() itself. The next allocator's reallocarray() may call realloc()
 * of this library, and the call would be counted twice.
 */
MEMPROF_API void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	if (likely(!mp_sampler_counts_down(bytes) && !mp_bloom_first_bit((uintptr_t)p)))
		return mp_next.realloc(p, bytes);
	return slow_realloc(p, bytes);
}

static SLOW int slow_posix_memalign(void **p, size_t alignment, size_t size)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();
	int error;

	if (!mp_sampler_ended(size))
		return mp_next.posix_memalign(p, alignment, size);
	error = mp_next.posix_memalign(p, alignment, size);
	mp_sample_alloc(error ? NULL : *p, size, MEMPROF_REGION_HEAP, regs);
	return error;
}

MEMPROF_API int posix_memalign(void **p, size_t alignment, size_t size)
{
	if (likely(!mp_sampler_counts_down(size)))
		return mp_next.posix_memalign(p, alignment, size);
	return slow_posix_memalign(p, alignment, size);
}

#define ALIGNED(name)							\
	static SLOW void *slow_##name(size_t alignment, size_t size)	\
	{								\
		struct mp_registers regs = MP_CALLERS_REGISTERS();	\
		void *p;						\
									\
		if (!mp_sampler_ended(size))				\
			return mp_next.name(alignment, size);		\
		p = mp_next.name(alignment, size);			\
		mp_sample_alloc(p, size, MEMPROF_REGION_HEAP, regs);	\
		return p;						\
	}								\
									\
	MEMPROF_API void *name(size_t alignment, size_t size)		\
	{								\
		if (likely(!mp_sampler_counts_down(size)))				\
			return mp_next.name(alignment, size);		\
		return slow_##name(alignment, size);			\
	}

ALIGNED(aligned_alloc)
ALIGNED(memalign)

#define PAGED(name)							\
	static SLOW void *slow_##name(size_t size)			\
	{								\
		struct mp_registers regs = MP_CALLERS_REGISTERS();	\
		void *p;						\
									\
		if (!mp_sampler_ended(size))				\
			return mp_next.name(size);			\
		p = mp_next.name(size);					\
		mp_sample_alloc(p, size, MEMPROF_REGION_HEAP, regs);	\
		return p;						\
	}								\
									\
	MEMPROF_API void *name(size_t size)				\
	{								\
		if (likely(!mp_sampler_counts_down(size)))				\
			return mp_next.name(size);			\
		return slow_##name(size);				\
	}

PAGED(valloc)
PAGED(pvalloc)

MEMPROF_API size_t malloc_usable_size(void *p)
{
	if (p && mp_bootstrap_owns(p))
		return mp_bootstrap_size(p);
	return mp_next.malloc_usable_size(p);
}

/* After dlclose(), cached unwind rules and binaries may be wrong: forget them. */
MEMPROF_API int dlclose(void *handle)
{
	int error = mp_next.dlclose(handle);

	mp_unwind_forget();
	mp_modules_forget();
	return error;
}
