// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpu-rings: maps and reads the ring buffers with libperf
 *
 * Only libperf's public interface is used, because its structures change
 * between versions. That interface does not return the file descriptor of an
 * event, which is needed for epoll and by the other events that write to the
 * ring. This process has one thread, so the next free descriptor is known
 * before the event is opened. The event's id confirms it afterwards.
 *
 * perf_mmap__read_done() is not called: it is for rings in overwrite mode, and
 * here it would skip the records that arrived after the last one read. libperf
 * 6.12 does not free the CPU and thread maps of an event: 44 bytes for each
 * ring.
 */
#include "cpu-rings.h"

#include <errno.h>
#include <fcntl.h>
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/event.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MIN_PAGES	8

/*
 * Ring space is released in pieces of this size and not after each record,
 * because each release writes to a page that the kernel reads.
 */
#define PIECE_BYTES	16384

/* The kernel always gives the lowest free descriptor. */
static int next_descriptor(int any)
{
	int fd = fcntl(any, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd;
}

/*
 * Checks that ring->fd is the event's descriptor and sets close-on-exec, which
 * libperf does not.
 */
static int claim(struct mp_cpu_ring *ring, struct perf_evsel *event)
{
	struct perf_counts_values counts = { 0 };
	uint64_t id = 0;

	if (perf_evsel__read(event, 0, 0, &counts) ||
	    ioctl(ring->fd, PERF_EVENT_IOC_ID, &id) || id != counts.id)
		return -EBADF;
	/* otherwise perf_evlist__mmap() allocates tables of ids, which are never freed */
	perf_evsel__attr(event)->read_format = 0;
	return fcntl(ring->fd, F_SETFD, FD_CLOEXEC) ? -errno : 0;
}

/* Adds an event for one CPU and all tasks; ring->list owns it. */
static struct perf_evsel *add_event(struct mp_cpu_ring *ring,
				    const struct perf_event_attr *attr)
{
	/* a newer libperf copies more bytes than our headers define */
	union {
		struct perf_event_attr attr;
		char room[4 * sizeof(*attr)];
	} copy;
	struct perf_thread_map *all = perf_thread_map__new_dummy();
	struct perf_cpu_map *cpus;
	struct perf_evsel *event;
	char cpu[16];

	memset(&copy, 0, sizeof(copy));
	memcpy(&copy.attr, attr, sizeof(*attr));
	copy.attr.read_format = PERF_FORMAT_ID;
	snprintf(cpu, sizeof(cpu), "%d", ring->cpu);
	cpus = perf_cpu_map__new(cpu);
	event = all && cpus ? perf_evsel__new(&copy.attr) : NULL;
	if (event) {
		perf_evlist__add(ring->list, event);
		perf_evlist__set_maps(ring->list, cpus, all);
	}
	perf_cpu_map__put(cpus);
	perf_thread_map__put(all);
	return event;
}

static int open_ring(struct mp_cpu_ring *ring, const struct perf_event_attr *attr,
		     size_t pages, int poll_fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct perf_evsel *evsel;
	int err;

	ring->list = perf_evlist__new();
	evsel = ring->list ? add_event(ring, attr) : NULL;
	if (!evsel)
		return -ENOMEM;
	ring->fd = next_descriptor(poll_fd);
	if (ring->fd < 0)
		return -errno;
	err = perf_evlist__open(ring->list);
	if (!err)
		err = claim(ring, evsel);
	if (err)
		return err;
	errno = ENOMEM;
	if (perf_evlist__mmap(ring->list, (int)pages))
		return -errno;
	ring->map = perf_evlist__next_mmap(ring->list, NULL, false);
	ring->size = pages * (size_t)sysconf(_SC_PAGESIZE);
	return epoll_ctl(poll_fd, EPOLL_CTL_ADD, ring->fd, &event) ? -errno : 0;
}

static int add_ring(struct mp_cpu_rings *rings, int cpu,
		    const struct perf_event_attr *attr, size_t pages)
{
	struct mp_cpu_ring *ring = &rings->list[rings->nr];
	int err;

	do {
		*ring = (struct mp_cpu_ring){ .cpu = cpu };
		err = open_ring(ring, attr, pages, rings->poll_fd);
		if (!err) {
			rings->nr++;
			return 0;
		}
		perf_evlist__delete(ring->list);
	} while ((err == -EPERM || err == -ENOMEM) && (pages /= 2) >= MIN_PAGES);
	/* the CPU went offline in the meantime: skip it */
	return err == -ENODEV ? 0 : err;
}

int mp_cpu_rings_open(struct mp_cpu_rings *rings,
		      const struct perf_event_attr *attr, size_t pages)
{
	struct perf_cpu_map *online;
	int i, nr, err = 0;

	libperf_init(NULL);
	*rings = (struct mp_cpu_rings){
		.poll_fd = epoll_create1(EPOLL_CLOEXEC),
	};
	if (rings->poll_fd < 0)
		return -errno;
	online = perf_cpu_map__new_online_cpus();
	nr = online ? perf_cpu_map__nr(online) : 0;
	rings->list = calloc(nr ? nr : 1, sizeof(*rings->list));
	if (!online || !rings->list)
		err = -ENOMEM;
	for (i = 0; !err && i < nr; i++)
		err = add_ring(rings, perf_cpu_map__cpu(online, i).cpu, attr,
			       pages);
	perf_cpu_map__put(online);
	return err;
}

/*
 * perf_mmap__read_event() also returns records that arrive during the loop, so
 * the bytes that are read at once are limited to the size of the ring.
 */
static int drain_ring(const struct mp_cpu_ring *ring,
		      int (*take)(void *context,
				  const struct perf_event_header *record),
		      void *context)
{
	size_t taken_bytes = 0, given_bytes = 0;
	const union perf_event *record;
	int err = 0;

	if (perf_mmap__read_init(ring->map))
		return 0;
	while (!err && taken_bytes < ring->size &&
	       (record = perf_mmap__read_event(ring->map))) {
		taken_bytes += record->header.size;
		err = take(context, &record->header);
		if (taken_bytes - given_bytes >= PIECE_BYTES) {
			perf_mmap__consume(ring->map);
			given_bytes = taken_bytes;
		}
	}
	perf_mmap__consume(ring->map);
	return err;
}

int mp_cpu_rings_drain(struct mp_cpu_rings *rings,
		       int (*take)(void *context,
				   const struct perf_event_header *record),
		       void *context)
{
	int i, err = 0;

	for (i = 0; !err && i < rings->nr; i++)
		err = drain_ring(&rings->list[i], take, context);
	return err;
}

void mp_cpu_rings_close(struct mp_cpu_rings *rings)
{
	while (rings->nr)
		perf_evlist__delete(rings->list[--rings->nr].list);
	free(rings->list);
	if (rings->poll_fd > 0)
		close(rings->poll_fd);
	*rings = (struct mp_cpu_rings){ .poll_fd = -1 };
}
