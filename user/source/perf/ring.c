// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring: the two positions and what lies between
 *
 * Records that wrap around are copied, others are handed on in place. The room
 * is given back after the last record of a visit.
 */
#include "ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int mp_ring_map(struct mp_ring *ring, int fd, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *base;

	do {
		base = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
	} while (base == MAP_FAILED && (errno == EPERM || errno == ENOMEM) &&
		 (pages /= 2) >= 8);
	if (base == MAP_FAILED)
		return -errno;
	ring->base = base;
	ring->size = pages * page;
	return 0;
}

static const struct perf_event_header *record_at(struct mp_ring *ring,
						 uint64_t at, uint64_t head)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const char *data = (const char *)ring->base + page;
	size_t offset = at & (ring->size - 1), size, first;
	const struct perf_event_header *record = (const void *)(data + offset);

	/* headers are aligned: they do not wrap */
	size = record->size;
	if (size < sizeof(*record) || size > head - at)
		return NULL;
	if (offset + size <= ring->size)
		return record;
	first = ring->size - offset;
	memcpy(ring->copy, data + offset, first);
	memcpy((char *)ring->copy + first, data, size - first);
	return (const void *)ring->copy;
}

int mp_ring_drain(struct mp_ring *ring,
		  int (*take)(void *context,
			      const struct perf_event_header *record),
		  void *context)
{
	const struct perf_event_header *record;
	uint64_t head, tail;
	int err = 0;

	if (!ring->base)
		return 0;
	/* pairs with the kernel, which writes the head last */
	head = __atomic_load_n(&ring->base->data_head, __ATOMIC_ACQUIRE);
	for (tail = ring->base->data_tail; !err && tail < head;
	     tail += record->size) {
		record = record_at(ring, tail, head);
		if (!record) {
			tail = head;
			break;
		}
		err = take(context, record);
	}
	/* pairs with the kernel, which reads the tail before it writes */
	__atomic_store_n(&ring->base->data_tail, tail, __ATOMIC_RELEASE);
	return err;
}

void mp_ring_unmap(struct mp_ring *ring)
{
	if (ring->base)
		munmap(ring->base, ring->size +
		       (size_t)sysconf(_SC_PAGESIZE));
	ring->base = NULL;
}
