/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu-rings: a buffer for each CPU, which the kernel fills and we empty
 */
#ifndef MP_CPU_RINGS_H
#define MP_CPU_RINGS_H

#include <linux/perf_event.h>
#include <stddef.h>

struct perf_evlist;
struct perf_mmap;

/**
 * struct mp_cpu_ring - one buffer
 * @list: libperf's, with one event and this buffer
 * @size: bytes of records
 * @fd: of the event, owned by @list: others are led here by PERF_EVENT_IOC_SET_OUTPUT
 */
struct mp_cpu_ring {
	struct perf_evlist *list;
	struct perf_mmap *map;
	size_t size;
	int cpu;
	int fd;
};

/**
 * struct mp_cpu_rings - of the CPUs that were online
 * @poll_fd: readable when a ring is as full as its event's watermark
 */
struct mp_cpu_rings {
	struct mp_cpu_ring *list;
	int nr;
	int poll_fd;
};

/**
 * mp_cpu_rings_open - make the rings, each with an event of its CPU
 * @attr: of that event
 * @pages: of each, a power of two; halved until the kernel grants them
 *
 * None is inherited over exec.
 *
 * Return: 0, or a negative errno; mp_cpu_rings_close() follows in any case.
 */
int mp_cpu_rings_open(struct mp_cpu_rings *rings,
		      const struct perf_event_attr *attr, size_t pages);

/**
 * mp_cpu_rings_drain - visit all rings once
 * @take: gets each record, valid until it returns; 0, or a negative errno, which
 *	ends it
 *
 * A visit takes all that is there when it begins, but no more than a ring holds,
 * however fast the kernel fills it.
 *
 * Return: 0, or what @take says.
 */
int mp_cpu_rings_drain(struct mp_cpu_rings *rings,
		       int (*take)(void *context,
				   const struct perf_event_header *record),
		       void *context);

/** mp_cpu_rings_close - give them back */
void mp_cpu_rings_close(struct mp_cpu_rings *rings);

#endif
