/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region-window: copies elements of a region from its file, in pieces
 */
#ifndef MP_REGION_WINDOW_H
#define MP_REGION_WINDOW_H

#include "region.h"

/**
 * struct mp_region_window - a window on one section; all zero means closed
 * @fd: the file
 * @is: copy of the section's header
 * @size: bytes of an element that are used
 * @nr: number of elements in the section
 * @first: index of the first element in @buffer
 * @nr_here: number of elements in @buffer
 * @buffer: copies of elements
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
 * mp_region_window_open - open a window
 * @section: number of the section; its header is checked
 *
 * Call mp_region_window_close() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_region_window_open(struct mp_region_window *window,
			  const struct mp_region *region, int section);

/**
 * mp_region_window_at - get an element; reads a piece if necessary
 *
 * Reading in order costs a system call per 64 KB. The element is a copy that
 * does not change. It is valid until the next call.
 *
 * Return: the element, or NULL if it does not exist.
 */
const void *mp_region_window_at(struct mp_region_window *window, uint64_t index);

/**
 * mp_region_window_read - read the current value of an element
 * @to: room for its structure
 *
 * Return: false if it does not exist.
 */
bool mp_region_window_read(const struct mp_region_window *window,
			   uint64_t index, void *to);

/** mp_region_window_close - free the copies */
void mp_region_window_close(struct mp_region_window *window);

#endif
