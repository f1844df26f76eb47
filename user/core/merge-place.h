/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merge-place: where code is, whatever address it has in a process
 *
 * A file's number and an offset in one number; an address in no file is one in
 * the file MP_PLACE_NOWHERE, one of the kernel, but for its upper bits which are
 * all set, in MP_PLACE_KERNEL.
 */
#ifndef MP_MERGE_PLACE_H
#define MP_MERGE_PLACE_H

#include "merge.h"

/* Of arm64 all addresses of user space, of x86-64 more than that. */
#define MP_PLACE_BITS		48
#define MP_PLACE_NOWHERE	MP_MERGE_FILES
#define MP_PLACE_KERNEL		(MP_MERGE_FILES + 1)

static inline uint32_t mp_place_file(uint64_t place)
{
	return (uint32_t)(place >> MP_PLACE_BITS);
}

/* The address, where it is in no file. */
static inline uint64_t mp_place_offset(uint64_t place)
{
	uint64_t offset = place & ((1ULL << MP_PLACE_BITS) - 1);

	return mp_place_file(place) == MP_PLACE_KERNEL ?
	       offset | -(1ULL << MP_PLACE_BITS) : offset;
}

/**
 * mp_merge_place - mp_heap.place: what a process has mapped where its stack leads
 *
 * Asked once, at the first event, when the mappings are those of that moment.
 */
int mp_merge_place(void *context, uint32_t process, const struct mp_call *call,
		   struct mp_heap_place *place);

/** mp_merge_sum_place - mp_heap.sum_place */
int mp_merge_sum_place(void *context, struct mp_heap_place *place);

/** mp_merge_sweep - forget stacks that nothing refers to. 0, or -ENOMEM */
int mp_merge_sweep(struct mp_merge *merge);

#endif
