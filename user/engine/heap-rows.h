/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-rows: stores the engine's rows of processes, cgroups and callsites
 */
#ifndef MP_HEAP_ROWS_H
#define MP_HEAP_ROWS_H

#include "heap.h"

/**
 * mp_heap_one_more - append a zeroed element to an array that doubles its size
 *
 * Return: its number, or MP_HEAP_NONE if memory is short.
 */
uint32_t mp_heap_one_more(void **list, size_t *nr, size_t *max, size_t size);

#define MP_HEAP_ONE_MORE(heap, what)						\
	mp_heap_one_more((void **)&(heap)->what, &(heap)->nr_##what,		\
		 &(heap)->max_##what, sizeof(*(heap)->what))

/** mp_heap_new_process - add an empty row. Return: its number, or MP_HEAP_NONE */
uint32_t mp_heap_new_process(struct mp_heap *heap);

/** mp_heap_free_process - free the row of a process, which must have no sites */
void mp_heap_free_process(struct mp_heap *heap, uint32_t number);

/** mp_heap_free_site - free the row of a site, and remove the site from its map */
void mp_heap_free_site(struct mp_heap *heap, uint32_t number);

/**
 * mp_heap_sum_site - find or add the site of a sum that matches a process's site
 * @sum: number of the sum
 * @other: number of a site of the process that is folded into the sum. The sum's
 *	site has the same code location. If @other is a stack, the sum must have the
 *	site of its callsite already
 * @number: out: number of the sum's site
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_sum_site(struct mp_heap *heap, uint32_t sum, uint32_t other,
		     uint32_t *number);

/**
 * mp_heap_site - find or add the site of a call's stack in a process
 * @call: the call; only its stack and callsite are used
 * @number: out: number of the site
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_site(struct mp_heap *heap, uint32_t process,
		 const struct mp_call *call, uint32_t *number);

#endif
