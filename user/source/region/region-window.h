/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region-window: elements of a region, copied from its file some at a time
 */
#ifndef MP_REGION_WINDOW_H
#define MP_REGION_WINDOW_H

#include "region.h"

/**
 * struct mp_region_window - into one section; all zero is a closed one
 * @fd: the file
 * @is: copy of the section
 * @size: bytes of an element that are looked at
 * @nr: elements that there may be
 * @first: which of them is the first in @buffer
 * @nr_here: how many are
 * @buffer: copies
 */
struct mp_region_window {
	int fd;
	struct memprof_region_section is;
	size_t size;
	uint64_t nr;
	uint64_t first, nr_here;
	uint8_t *buffer;
};

/**
 * mp_region_window_open - look into a section
 * @section: its number; what it says of itself is checked
 *
 * Return: 0, or -ENOMEM. mp_region_window_close() follows in any case.
 */
int mp_region_window_open(struct mp_region_window *window,
			  const struct mp_region *region, int section);

/**
 * mp_region_window_at - an element, read when it is not here
 *
 * In order a system call per 64 KB. Nobody else writes what it points to; it is
 * valid until the next call.
 *
 * Return: the element, or NULL where there is none.
 */
const void *mp_region_window_at(struct mp_region_window *window, uint64_t index);

/**
 * mp_region_window_read - an element, as it is now
 * @to: room for its structure
 *
 * Return: whether there is one.
 */
bool mp_region_window_read(const struct mp_region_window *window,
			   uint64_t index, void *to);

/** mp_region_window_close - free the copies */
void mp_region_window_close(struct mp_region_window *window);

#endif
