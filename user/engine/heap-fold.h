/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-fold: sums up the older of the exited processes, to bound the memory
 *
 * The freed rows are used for new processes.
 */
#ifndef MP_HEAP_FOLD_H
#define MP_HEAP_FOLD_H

#include "heap.h"

/**
 * mp_heap_fold - record that a process exited; fold the oldest if there are too
 * many
 * @number: number of the row, which has no blocks; may be freed by this call
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_fold(struct mp_heap *heap, uint32_t number);

/** mp_heap_drop - stop counting a block as in use */
void mp_heap_drop(struct mp_heap *heap, const struct mp_block *block);

#endif
