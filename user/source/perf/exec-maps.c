// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec-maps: uses a perf event that writes mapping records and no samples
 *
 * A "dummy" software event counts nothing. It writes a record for each
 * executable mapping of any process: about ten records for each exec. Each CPU
 * has a ring of 64 KB. If a ring is full, the kernel reports how many records
 * it dropped.
 */
#include "exec-maps.h"
#include "lost-records.h"

#include <perf/event.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define RING_PAGES	16

int mp_exec_maps_open(struct mp_exec_maps *maps, bool wakes)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER7,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.exclude_kernel = 1,
		.watermark = 1,
		.wakeup_watermark = wakes ? 1 : (uint32_t)(RING_PAGES *
							   sysconf(_SC_PAGESIZE) / 4),
	};
	int err;

	maps->nr_lost = 0;
	err = mp_cpu_rings_open(&maps->rings, &attr, RING_PAGES);
	if (err)
		mp_exec_maps_close(maps);
	maps->poll_fd = maps->rings.poll_fd;
	return err;
}

struct drain {
	struct mp_exec_maps *maps;
	void (*take)(void *context, const struct mp_exec_map *map);
	void *context;
};

static int take_record(void *context, const struct perf_event_header *record)
{
	const union perf_event *event = (const void *)record;
	struct drain *drain = context;
	struct mp_exec_map map = { 0 };

	drain->maps->nr_lost += mp_lost_records(record);
	switch (record->type) {
	case PERF_RECORD_COMM:
		map.pid = (pid_t)event->comm.pid;
		break;
	case PERF_RECORD_MMAP2:
		map.pid = (pid_t)event->mmap2.pid;
		map.dev = makedev(event->mmap2.maj, event->mmap2.min);
		map.inode = event->mmap2.ino;
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

	mp_cpu_rings_drain(&maps->rings, take_record, &drain);
}

void mp_exec_maps_close(struct mp_exec_maps *maps)
{
	mp_cpu_rings_close(&maps->rings);
	maps->poll_fd = -1;
}
