/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stack-table.h: stores stacks by number, with a tally of allocations for each stack.
 */
#ifndef MEMPROF_STACK_TABLE_H
#define MEMPROF_STACK_TABLE_H

#include "memprof_internal.h"

#include <memprof/region.h>

uint64_t mp_stack_hash(const uintptr_t *frames, int depth);
uint32_t mp_stack_table_intern(const uintptr_t *frames, int depth, uint64_t hash,
			       uint16_t flags, bool *is_new);
struct memprof_region_tally *mp_stack_tally(uint32_t stack);
struct memprof_region_peak *mp_stack_peak(uint32_t stack);
const struct memprof_region_stack *mp_stack_at(uint32_t stack);

#endif
