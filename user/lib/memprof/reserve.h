/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reserve.h: blocks of malloc() that are kept for the next samples of Python's objects.
 */
#ifndef MEMPROF_RESERVE_H
#define MEMPROF_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that each block has at least. */
#define MP_RESERVE_BYTES	513
/* Number of blocks, 34 KB in all. */
#define MP_RESERVE_BLOCKS	64

#pragma GCC visibility push(hidden)

void mp_reserve_open(bool is_open);
void *mp_reserve_take(void);
bool mp_reserve_keep(void *p);
bool mp_reserve_keep_freed(void *p, size_t size);

#pragma GCC visibility pop

#endif
