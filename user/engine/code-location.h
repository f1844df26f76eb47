/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code-location: names code by file and offset, independent of the process
 *
 * A code location is one number: the file's number and the offset in the file.
 * An address outside of all files has the file number MP_CODE_NOWHERE. A kernel
 * address has the file number MP_CODE_KERNEL. Its upper bits are not stored,
 * because all of them are set.
 */
#ifndef MP_CODE_LOCATION_H
#define MP_CODE_LOCATION_H

#include "merge.h"

/* Bits of an offset or address: 48 for arm64. User addresses of x86-64 need 47. */
#define MP_CODE_BITS		48
#define MP_CODE_NOWHERE	MP_MERGE_FILES
#define MP_CODE_KERNEL		(MP_MERGE_FILES + 1)

static inline uint32_t mp_code_file(uint64_t location)
{
	return (uint32_t)(location >> MP_CODE_BITS);
}

/* Returns the offset in the file; if the location is in no file, the address. */
static inline uint64_t mp_code_offset(uint64_t location)
{
	uint64_t offset = location & ((1ULL << MP_CODE_BITS) - 1);

	return mp_code_file(location) == MP_CODE_KERNEL ?
	       offset | -(1ULL << MP_CODE_BITS) : offset;
}

/**
 * mp_merge_location - find the code location of a call's stack
 *
 * This is the callback mp_heap.location. The engine calls it at the first event of
 * a stack in a process. The mappings at that moment are used.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_location(void *context, uint32_t process, const struct mp_call *call,
		      struct mp_heap_location *location);

/** mp_merge_sum_location - change a location for a sum: the callback mp_heap.sum_location */
int mp_merge_sum_location(void *context, struct mp_heap_location *location);

/**
 * mp_merge_is_sampler - whether the innermost frame of a stack is in libmemprof
 * @stack: number of a stack of addresses; MP_EVENT_NO_STACK: false is returned
 */
bool mp_merge_is_sampler(const struct mp_merge *merge, uint32_t process,
			 uint32_t stack);

/** mp_merge_sweep - free stacks that are not in use. Return: 0, or -ENOMEM */
int mp_merge_sweep(struct mp_merge *merge);

#endif
