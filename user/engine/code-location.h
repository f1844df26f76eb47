/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merge-place: where code is, whatever address it has in a process
 *
 * A file's number and an offset in one number; an address in no file is one in
 * the file MP_CODE_NOWHERE, one of the kernel, but for its upper bits which are
 * all set, in MP_CODE_KERNEL.
 */
#ifndef MP_CODE_LOCATION_H
#define MP_CODE_LOCATION_H

#include "merge.h"

/* Of arm64 all addresses of user space, of x86-64 more than that. */
#define MP_CODE_BITS		48
#define MP_CODE_NOWHERE	MP_MERGE_FILES
#define MP_CODE_KERNEL		(MP_MERGE_FILES + 1)

static inline uint32_t mp_code_file(uint64_t location)
{
	return (uint32_t)(location >> MP_CODE_BITS);
}

/* The address, where it is in no file. */
static inline uint64_t mp_code_offset(uint64_t location)
{
	uint64_t offset = location & ((1ULL << MP_CODE_BITS) - 1);

	return mp_code_file(location) == MP_CODE_KERNEL ?
	       offset | -(1ULL << MP_CODE_BITS) : offset;
}

/**
 * mp_merge_location - mp_heap.place: what a process has mapped where its stack leads
 *
 * Asked once, at the first event, when the mappings are those of that moment.
 */
int mp_merge_location(void *context, uint32_t process, const struct mp_call *call,
		   struct mp_heap_location *location);

/** mp_merge_sum_location - mp_heap.sum_location */
int mp_merge_sum_location(void *context, struct mp_heap_location *location);

/** mp_merge_sweep - forget stacks that nothing refers to. 0, or -ENOMEM */
int mp_merge_sweep(struct mp_merge *merge);

#endif
