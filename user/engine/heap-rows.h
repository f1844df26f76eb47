/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-rows: the engine's rows of processes, cgroups and callsites, by number
 */
#ifndef MP_HEAP_ROWS_H
#define MP_HEAP_ROWS_H

#include "heap.h"

/**
 * mp_heap_one_more - append a zeroed element to an array that doubles its size
 *
 * Return: its number, or MP_HEAP_NONE without memory.
 */
uint32_t mp_heap_one_more(void **list, size_t *nr, size_t *max, size_t size);

#define MP_HEAP_ONE_MORE(heap, what)						\
	mp_heap_one_more((void **)&(heap)->what, &(heap)->nr_##what,		\
		 &(heap)->max_##what, sizeof(*(heap)->what))

/** mp_heap_new_process - add an empty row. Return: its number, or MP_HEAP_NONE */
uint32_t mp_heap_new_process(struct mp_heap *heap);

/** mp_heap_free_process - free a row, which must have no sites */
void mp_heap_free_process(struct mp_heap *heap, uint32_t number);

/** mp_heap_free_site - free a row and remove it from its map */
void mp_heap_free_site(struct mp_heap *heap, uint32_t number);

/**
 * mp_heap_sum_site - find or add the site of a sum with the same code location
 * @sum: number of the sum
 * @other: number of a site of a process that is being folded. For a stack, the
 *	site of its callsite must have been added before.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_sum_site(struct mp_heap *heap, uint32_t sum, uint32_t other,
		     uint32_t *number);

/**
 * mp_heap_site - find or add the site of a call's stack in a process
 * @call: its stack and callsite are used
 * @number: out
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_site(struct mp_heap *heap, uint32_t process,
		 const struct mp_call *call, uint32_t *number);

#endif
