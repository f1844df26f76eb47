/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring: a buffer that perf fills and we empty
 */
#ifndef MP_RING_H
#define MP_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mp_ring - one buffer
 * @base: its first page, which is the kernel's word with us; NULL: none
 * @size: bytes of data, a power of two
 */
struct mp_ring {
	struct perf_event_mmap_page *base;
	size_t size;
	uint64_t copy[65536 / sizeof(uint64_t)];
};

/**
 * mp_ring_map - map the buffer of an event
 * @fd: the event, on a CPU
 * @pages: a power of two; halved until the kernel grants them
 *
 * Return: 0, or a negative errno.
 */
int mp_ring_map(struct mp_ring *ring, int fd, size_t pages);

/**
 * mp_ring_drain - take out all records that are there now
 * @take: gets each; the record is valid until it returns; 0, or a negative errno,
 *	which ends it
 *
 * A record that is not whole ends it, too: the kernel writes no such.
 *
 * Return: 0, or what @take says.
 */
int mp_ring_drain(struct mp_ring *ring,
		  int (*take)(void *context,
			      const struct perf_event_header *record),
		  void *context);

/** mp_ring_unmap - give it back */
void mp_ring_unmap(struct mp_ring *ring);

#endif
