/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-fold: of the processes that exited, the older ones become sums
 *
 * What they hold are sums anyway. The rows are for others then.
 */
#ifndef MP_HEAP_FOLD_H
#define MP_HEAP_FOLD_H

#include "heap.h"

/**
 * mp_heap_fold - a process exited; fold the oldest of those that did, if there
 * are too many
 * @number: of its row, without blocks; may be gone afterwards
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_fold(struct mp_heap *heap, uint32_t number);

/** mp_heap_drop - a block is no longer counted as in use */
void mp_heap_drop(struct mp_heap *heap, const struct mp_block *block);

#endif
