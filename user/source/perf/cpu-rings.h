/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu-rings: a perf ring buffer for each CPU
 */
#ifndef MP_CPU_RINGS_H
#define MP_CPU_RINGS_H

#include <linux/perf_event.h>
#include <stddef.h>

struct perf_evlist;
struct perf_mmap;

/**
 * struct mp_cpu_ring - the ring buffer of one CPU
 * @list: a libperf list that contains one event and this buffer
 * @size: bytes of the buffer for records
 * @fd: file descriptor of the event, owned by @list; PERF_EVENT_IOC_SET_OUTPUT
 *	directs other events to it
 */
struct mp_cpu_ring {
	struct perf_evlist *list;
	struct perf_mmap *map;
	size_t size;
	int cpu;
	int fd;
};

/**
 * struct mp_cpu_rings - the rings of all CPUs that were online
 * @poll_fd: readable when a ring is filled up to its event's watermark
 */
struct mp_cpu_rings {
	struct mp_cpu_ring *list;
	int nr;
	int poll_fd;
};

/**
 * mp_cpu_rings_open - open a ring for each online CPU, with one event each
 * @attr: attributes of that event
 * @pages: size of each ring, a power of two; halved until the kernel allows it
 *
 * All descriptors are close-on-exec.
 *
 * Return: 0, or a negative errno; call mp_cpu_rings_close() in any case.
 */
int mp_cpu_rings_open(struct mp_cpu_rings *rings,
		      const struct perf_event_attr *attr, size_t pages);

/**
 * mp_cpu_rings_drain - read all rings once
 * @take: called for each record, which is valid during the call; returns 0, or
 *	a negative errno, which stops the reading
 *
 * Reads at most one ring size of records from each ring, even if the kernel
 * adds records faster than they are read.
 *
 * Return: 0, or the error of @take.
 */
int mp_cpu_rings_drain(struct mp_cpu_rings *rings,
		       int (*take)(void *context,
				   const struct perf_event_header *record),
		       void *context);

/** mp_cpu_rings_close - close all rings and free their memory */
void mp_cpu_rings_close(struct mp_cpu_rings *rings);

#endif
