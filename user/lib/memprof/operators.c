// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * operators.c: replaces operator new and operator delete of C++, if the program's
 * allocator defines them itself, and the functions that only jemalloc has. Only
 * libmemprof.so contains it.
 *
 * The operators of the C++ library call malloc(), which is replaced already. All these
 * functions have at most three arguments, all in registers. So each hook has three and
 * hands them on; a function with fewer arguments does not read the others. An exception
 * passes through the slow path, which has nothing to clean up.
 */
#include "operators.h"

#include "bloom.h"
#include "bootstrap.h"
#include "next.h"
#include "sampled.h"
#include "sampler.h"
#include "region-file.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define SLOW		__attribute__((noinline, cold))

#define NEW(name)							\
	mp_new_next mp_next##name;						\
									\
	static SLOW void *slow##name(unsigned long size, unsigned long second, \
				     unsigned long third)		\
	{								\
		struct mp_registers regs = MP_CALLERS_REGISTERS();	\
		void *p;						\
									\
		if (!mp_sampler_ended(size))				\
			return mp_next##name(size, second, third);	\
		p = mp_next##name(size, second, third);			\
		mp_sample_alloc(p, size, MEMPROF_REGION_HEAP, regs);	\
		return p;						\
	}								\
									\
	void *mp_hook##name(unsigned long size, unsigned long second,	\
			    unsigned long third)			\
	{								\
		if (likely(!mp_sampler_counts_down(size)))		\
			return mp_next##name(size, second, third);	\
		return slow##name(size, second, third);			\
	}

#define DELETE(name)							\
	mp_delete_next mp_next##name;					\
									\
	static SLOW void slow##name(void *p, unsigned long second,	\
				    unsigned long third)		\
	{								\
		if (mp_bootstrap_owns(p))				\
			return;						\
		mp_sample_free(p);					\
		mp_next##name(p, second, third);			\
	}								\
									\
	void mp_hook##name(void *p, unsigned long second, unsigned long third) \
	{								\
		if (likely(!mp_bloom_first_bit((uintptr_t)p)))		\
			mp_next##name(p, second, third);		\
		else							\
			slow##name(p, second, third);			\
	}

/* No block of the arena gets here: those are the dynamic linker's, of the first look-up. */
static void *move_taken(mp_move_next next, void *p, unsigned long size,
			unsigned long third)
{
	struct mp_exact exact;
	const bool taken = mp_sample_take(p, &exact);
	void *to;

	if (taken)
		mp_sample_freed(p, &exact);
	to = next(p, size, third);
	if (taken && !to)
		mp_sample_not_freed(p, &exact);
	return to;
}

#define MOVE(name)							\
	mp_move_next mp_next##name;					\
									\
	static SLOW void *slow##name(void *p, unsigned long size,	\
				     unsigned long third)		\
	{								\
		struct mp_registers regs = MP_CALLERS_REGISTERS();	\
		const bool ended = mp_sampler_ended(size);		\
		void *to = move_taken(mp_next##name, p, size, third);	\
									\
		if (ended)						\
			mp_sample_alloc(to, size, MEMPROF_REGION_HEAP, regs); \
		return to;						\
	}								\
									\
	void *mp_hook##name(void *p, unsigned long size, unsigned long third) \
	{								\
		if (likely(!mp_sampler_counts_down(size) &&		\
			   !mp_bloom_first_bit((uintptr_t)p)))		\
			return mp_next##name(p, size, third);		\
		return slow##name(p, size, third);			\
	}

MP_OPERATORS_NEW(NEW, MP_NOTHING)
MP_OPERATORS_DELETE(DELETE, MP_NOTHING)
MP_OPERATORS_MOVE(MOVE, MP_NOTHING)
