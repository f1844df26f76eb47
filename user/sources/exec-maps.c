// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec-maps: perf's side-band without perf's samples
 *
 * A "dummy" software event counts nothing and brings a record for each
 * executable mapping of any process: about ten for an exec. 64 KB a CPU. When a
 * ring is full the kernel says how many records it left out.
 */
#include "exec-maps.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
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

struct lost {
	struct perf_event_header header;
	uint64_t id;
	uint64_t nr;
};

union record {
	struct perf_event_header header;
	struct mmap2 mmap2;
	struct lost lost;
};

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

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
	void *base;
	int err;

	if (fd < 0)
		return -errno;
	base = mmap(NULL, (RING_PAGES + 1) * page_size(),
		    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED) {
		err = -errno;
		close(fd);
		return err;
	}
	*ring = (struct mp_exec_ring){ .fd = fd, .base = base };
	return 0;
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

/* @size bytes from position @at, which may lie across the ring's end. */
static void copy_out(const struct mp_exec_ring *ring, uint64_t at, void *to,
		     size_t size)
{
	const char *data = (const char *)ring->base + page_size();
	size_t whole = RING_PAGES * page_size();
	size_t start = at % whole;
	size_t first = size < whole - start ? size : whole - start;

	memcpy(to, data + start, first);
	memcpy((char *)to + first, data, size - first);
}

static bool read_map(const union record *record, struct mp_exec_map *map)
{
	*map = (struct mp_exec_map){ 0 };
	switch (record->header.type) {
	case PERF_RECORD_COMM:
		/* begins as PERF_RECORD_MMAP2 does */
		map->pid = (pid_t)record->mmap2.pid;
		return true;
	case PERF_RECORD_MMAP2:
		map->pid = (pid_t)record->mmap2.pid;
		map->dev = makedev(record->mmap2.major, record->mmap2.minor);
		map->inode = record->mmap2.inode;
		return true;
	default:
		return false;
	}
}

static void drain_ring(struct mp_exec_maps *maps, struct mp_exec_ring *ring,
		       void (*take)(void *context,
				    const struct mp_exec_map *map),
		       void *context)
{
	struct perf_event_mmap_page *control = ring->base;
	/* pairs with the kernel's barrier between data and data_head */
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = control->data_tail;
	union record record;
	struct mp_exec_map map;
	size_t size;

	for (; tail < head; tail += record.header.size) {
		copy_out(ring, tail, &record.header, sizeof(record.header));
		size = record.header.size;
		if (size < sizeof(record.header))
			break;
		copy_out(ring, tail, &record,
			 size < sizeof(record) ? size : sizeof(record));
		if (record.header.type == PERF_RECORD_LOST)
			maps->nr_lost += record.lost.nr;
		if (read_map(&record, &map))
			take(context, &map);
	}
	/* what was read may be overwritten from here on */
	__atomic_store_n(&control->data_tail, head, __ATOMIC_RELEASE);
}

void mp_exec_maps_drain(struct mp_exec_maps *maps,
			void (*take)(void *context,
				     const struct mp_exec_map *map),
			void *context)
{
	size_t i;

	for (i = 0; i < maps->nr_rings; i++)
		drain_ring(maps, &maps->rings[i], take, context);
}

void mp_exec_maps_close(struct mp_exec_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr_rings; i++) {
		munmap(maps->rings[i].base, (RING_PAGES + 1) * page_size());
		close(maps->rings[i].fd);
	}
	free(maps->rings);
	if (maps->poll_fd >= 0)
		close(maps->poll_fd);
	*maps = (struct mp_exec_maps){ .poll_fd = -1 };
}
