/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-rows: processes, cgroups and callsites of the engine, by number
 */
#ifndef MP_HEAP_ROWS_H
#define MP_HEAP_ROWS_H

#include "heap.h"

/**
 * mp_heap_one_more - make room for one more, zeroed, in an array that doubles
 *
 * Return: its number, or MP_HEAP_NONE without memory.
 */
uint32_t mp_heap_one_more(void **list, size_t *nr, size_t *max, size_t size);

#define MP_HEAP_ONE_MORE(heap, what)						\
	mp_heap_one_more((void **)&(heap)->what, &(heap)->nr_##what,		\
		 &(heap)->max_##what, sizeof(*(heap)->what))

/** mp_heap_new_process - a row, empty. Return: its number, or MP_HEAP_NONE */
uint32_t mp_heap_new_process(struct mp_heap *heap);

/** mp_heap_free_process - give a row back; it has no sites any more */
void mp_heap_free_process(struct mp_heap *heap, uint32_t number);

/** mp_heap_free_site - give a row back, and forget where it was found */
void mp_heap_free_site(struct mp_heap *heap, uint32_t number);

/**
 * mp_heap_sum_site - the site of a sum at another one's place, new if need be
 * @sum: process
 * @other: site of a process that is a part of it; if a stack, its callsite was
 *	asked for before
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_sum_site(struct mp_heap *heap, uint32_t sum, uint32_t other,
		     uint32_t *number);

/**
 * mp_heap_site - the number of a stack in a process, new if it is not known
 * @call: whose stack and callsite
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_site(struct mp_heap *heap, uint32_t process,
		 const struct mp_call *call, uint32_t *number);

#endif
