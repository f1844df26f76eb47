/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-blame: puts what was found about pages into the rows of callsites and stacks
 */
#ifndef MP_HEAP_BLAME_H
#define MP_HEAP_BLAME_H

#include "blame.h"
#include "heap.h"

/**
 * mp_heap_put_blame - add the sums of pages to the rows of a profile
 * @blame: its owners are the sites of the engine
 * @profile: of mp_merge_profile(), whose rows were not moved since
 *
 * What a stack has is also added to its callsite.
 */
void mp_heap_put_blame(const struct mp_heap *heap, const struct mp_blame *blame,
		       struct mp_profile *profile);

#endif
