/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-fold: bounds memory by summing up processes that exited long ago
 *
 * The rows that become free are used for new processes.
 */
#ifndef MP_HEAP_FOLD_H
#define MP_HEAP_FOLD_H

#include "heap.h"

/**
 * mp_heap_fold - record that a process exited; if there are too many exited
 * processes, fold the oldest ones
 * @number: number of the process, which has no live blocks any more. This call may
 *	free its row
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_fold(struct mp_heap *heap, uint32_t number);

/** mp_heap_end - stop counting a block as in use because its process ended */
void mp_heap_end(struct mp_heap *heap, const struct mp_block *block);

/** mp_heap_drop - stop counting a block as in use */
void mp_heap_drop(struct mp_heap *heap, const struct mp_block *block);

#endif
