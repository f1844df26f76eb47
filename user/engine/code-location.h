/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code-location: names code by file and offset, independent of the process
 *
 * A code location is one number: the file's number and the offset in the file.
 * An address outside of all files has the file number MP_CODE_NOWHERE. A kernel
 * address has MP_CODE_KERNEL; its upper bits are not stored, because all of
 * them are set.
 */
#ifndef MP_CODE_LOCATION_H
#define MP_CODE_LOCATION_H

#include "merge.h"

/* Covers all user addresses of arm64, and more than those of x86-64. */
#define MP_CODE_BITS		48
#define MP_CODE_NOWHERE	MP_MERGE_FILES
#define MP_CODE_KERNEL		(MP_MERGE_FILES + 1)

static inline uint32_t mp_code_file(uint64_t location)
{
	return (uint32_t)(location >> MP_CODE_BITS);
}

/* The offset in the file; the address itself if the location is in no file. */
static inline uint64_t mp_code_offset(uint64_t location)
{
	uint64_t offset = location & ((1ULL << MP_CODE_BITS) - 1);

	return mp_code_file(location) == MP_CODE_KERNEL ?
	       offset | -(1ULL << MP_CODE_BITS) : offset;
}

/**
 * mp_merge_location - the callback mp_heap.location: finds a stack's location
 *
 * The engine calls it once per stack and process, at the first event. It uses
 * the mappings of that moment.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_location(void *context, uint32_t process, const struct mp_call *call,
		      struct mp_heap_location *location);

/** mp_merge_sum_location - the callback mp_heap.sum_location */
int mp_merge_sum_location(void *context, struct mp_heap_location *location);

/** mp_merge_sweep - frees stacks that nothing refers to. Return: 0, or -ENOMEM */
int mp_merge_sweep(struct mp_merge *merge);

#endif
