// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec-maps: perf's side-band without perf's samples
 *
 * A "dummy" software event counts nothing and brings a record for each
 * executable mapping of any process: about ten for an exec. 64 KB a CPU. When a
 * ring is full the kernel says how many records it left out.
 */
#include "exec-maps.h"
#include "lost-records.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define RING_PAGES	16

/* The beginning of PERF_RECORD_MMAP2; a file name follows. */
struct mmap2 {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	uint64_t addr;
	uint64_t len;
	uint64_t pgoff;
	uint32_t major;
	uint32_t minor;
	uint64_t inode;
};

static int open_ring(struct mp_exec_ring *ring, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.exclude_kernel = 1,
		/* wake up for each record: a new program is not to run far */
		.watermark = 1,
		.wakeup_watermark = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	*ring = (struct mp_exec_ring){ .fd = fd };
	ring->ring = calloc(1, sizeof(*ring->ring));
	err = ring->ring ? mp_ring_map(ring->ring, fd, RING_PAGES) : -ENOMEM;
	if (err) {
		free(ring->ring);
		close(fd);
	}
	return err;
}

static int add_cpu(struct mp_exec_maps *maps, int cpu)
{
	struct epoll_event event = {
		.events = EPOLLIN,
		.data.u64 = maps->nr_rings,
	};
	struct mp_exec_ring *ring = &maps->rings[maps->nr_rings];
	int err = open_ring(ring, cpu);

	/* a CPU that is offline */
	if (err == -ENODEV)
		return 0;
	if (err)
		return err;
	maps->nr_rings++;
	return epoll_ctl(maps->poll_fd, EPOLL_CTL_ADD, ring->fd, &event) ?
	       -errno : 0;
}

int mp_exec_maps_open(struct mp_exec_maps *maps)
{
	long cpu, nr = sysconf(_SC_NPROCESSORS_CONF);
	int err = 0;

	*maps = (struct mp_exec_maps){ .poll_fd = epoll_create1(EPOLL_CLOEXEC) };
	if (maps->poll_fd < 0)
		return -errno;
	maps->rings = calloc(nr > 0 ? nr : 1, sizeof(*maps->rings));
	if (!maps->rings)
		err = -ENOMEM;
	for (cpu = 0; !err && cpu < nr; cpu++)
		err = add_cpu(maps, (int)cpu);
	if (err)
		mp_exec_maps_close(maps);
	return err;
}

struct drain {
	struct mp_exec_maps *maps;
	void (*take)(void *context, const struct mp_exec_map *map);
	void *context;
};

static int take_record(void *context, const struct perf_event_header *record)
{
	const struct mmap2 *mmap2 = (const void *)record;
	struct drain *drain = context;
	struct mp_exec_map map = { 0 };

	drain->maps->nr_lost += mp_lost_records(record);
	switch (record->type) {
	case PERF_RECORD_COMM:
		/* begins as PERF_RECORD_MMAP2 does */
		map.pid = (pid_t)mmap2->pid;
		break;
	case PERF_RECORD_MMAP2:
		map.pid = (pid_t)mmap2->pid;
		map.dev = makedev(mmap2->major, mmap2->minor);
		map.inode = mmap2->inode;
		break;
	default:
		return 0;
	}
	drain->take(drain->context, &map);
	return 0;
}

void mp_exec_maps_drain(struct mp_exec_maps *maps,
			void (*take)(void *context,
				     const struct mp_exec_map *map),
			void *context)
{
	struct drain drain = { maps, take, context };
	size_t i;

	for (i = 0; i < maps->nr_rings; i++)
		mp_ring_drain(maps->rings[i].ring, take_record, &drain);
}

void mp_exec_maps_close(struct mp_exec_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr_rings; i++) {
		mp_ring_unmap(maps->rings[i].ring);
		free(maps->rings[i].ring);
		close(maps->rings[i].fd);
	}
	free(maps->rings);
	if (maps->poll_fd >= 0)
		close(maps->poll_fd);
	*maps = (struct mp_exec_maps){ .poll_fd = -1 };
}
