// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-rings: opens the events that write to libperf's rings
 *
 * libperf cannot open events of cgroups, set filters, return event ids, set
 * close-on-exec, or add an event after it mapped the rings. If one thread
 * exited or one CPU went offline, libperf fails to open or enable the whole
 * event. So libperf opens only the rings' own events, and this file opens all
 * others.
 */
#include "perf-rings.h"
#include "clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Base of ids for events that the kernel does not have. */
#define INVENTED	(1ULL << 62)

static int open_one(const struct mp_perf_rings *rings,
		    struct perf_event_attr *attr, size_t id, int cpu)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	int pid = -1, fd;

	if (rings->scope != MP_SCOPE_ALL)
		pid = rings->ids[id];
	if (rings->scope == MP_SCOPE_CGROUP)
		flags |= PERF_FLAG_PID_CGROUP;
	fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, flags);
	/*
	 * Linux before 6.0 has no PERF_FORMAT_LOST: then losses are known only
	 * from records
	 */
	if (fd < 0 && errno == EINVAL && attr->read_format & PERF_FORMAT_LOST) {
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, flags);
	}
	return fd < 0 ? -errno : fd;
}

/* Sets the attributes that all events of a recording have in common. */
static void complete(const struct mp_perf_rings *rings,
		     struct perf_event_attr *attr)
{
	attr->size = PERF_ATTR_SIZE_VER7;
	attr->sample_type |= MP_PERF_SAMPLE_TYPE;
	attr->read_format = PERF_FORMAT_LOST;
	attr->disabled = 1;
	attr->sample_id_all = 1;
	attr->inherit = rings->scope == MP_SCOPE_TASKS;
	attr->inherit_thread = attr->inherit && rings->no_children;
	attr->enable_on_exec = rings->on_exec;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	if (!attr->sample_period)
		attr->sample_period = 1;
	/* a sampled software event with PERF_SAMPLE_PERIOD would report every event */
	if (attr->type == PERF_TYPE_SOFTWARE && attr->sample_period > 1)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
}

static int make_room(struct mp_perf_rings *rings)
{
	struct mp_perf_events *events = &rings->events;
	size_t nr = events->nr, i;
	struct mp_perf_event *list;
	struct mp_perf_fds *fds;

	list = reallocarray(events->list, nr + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	events->list = list;
	memset(&list[nr], 0, sizeof(*list));
	fds = reallocarray(rings->fds, nr + 1, sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	rings->fds = fds;
	fds[nr].nr = rings->nr_ids * (size_t)rings->cpus.nr;
	fds[nr].list = calloc(fds[nr].nr ? fds[nr].nr : 1, sizeof(int));
	if (!fds[nr].list)
		return -ENOMEM;
	for (i = 0; i < fds[nr].nr; i++)
		fds[nr].list[i] = -1;
	events->nr++;
	return 0;
}

static void close_event(struct mp_perf_rings *rings, size_t event)
{
	struct mp_perf_fds *fds = &rings->fds[event];
	size_t i;

	for (i = 0; i < fds->nr; i++)
		if (fds->list[i] >= 0)
			close(fds->list[i]);
	free(fds->list);
	*fds = (struct mp_perf_fds){ 0 };
}

/* Directs an event to its CPU's ring, and registers the id that its records carry. */
static int connect_one(struct mp_perf_rings *rings, uint32_t event,
		       const struct mp_cpu_ring *ring, int fd,
		       const char *filter)
{
	uint32_t *known;
	uint64_t id;

	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd))
		return -errno;
	if (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return -errno;
	known = mp_map_add(&rings->events.by_id, id, 0);
	if (!known)
		return -ENOMEM;
	*known = event;
	return 0;
}

/* A quarter of the ring, so that the recorder wakes up long before it is full. */
static uint32_t watermark(size_t pages)
{
	return (uint32_t)(pages * (size_t)sysconf(_SC_PAGESIZE) / 4);
}

/*
 * A ring's own event counts nothing and has no task. If it had a task, poll()
 * would report the ring as ended after the task's exit.
 */
static int map_rings(struct mp_perf_rings *rings, size_t pages)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.size = PERF_ATTR_SIZE_VER7, .use_clockid = 1,
		.clockid = CLOCK_MONOTONIC, .watermark = 1,
		.wakeup_watermark = watermark(pages),
	};
	int err = mp_cpu_rings_open(&rings->cpus, &attr, pages);

	rings->poll_fd = rings->cpus.poll_fd;
	return err;
}

/* Opens an event of one id for each CPU. Returns the number of CPUs. */
static int open_for_id(struct mp_perf_rings *rings, uint32_t number, size_t id,
		       const char *filter)
{
	struct perf_event_attr *attr = &rings->events.list[number].attr;
	int *to = rings->fds[number].list + id * (size_t)rings->cpus.nr;
	const struct mp_cpu_ring *ring, *end = rings->cpus.list + rings->cpus.nr;
	int fd, err, nr = 0;

	for (ring = rings->cpus.list; ring < end; ring++, to++) {
		fd = open_one(rings, attr, id, ring->cpu);
		/* the CPU went offline or the thread exited */
		if (fd == -ENODEV || fd == -ESRCH)
			continue;
		if (fd < 0)
			return fd;
		*to = fd;
		nr++;
		err = connect_one(rings, number, ring, fd, filter);
		if (err)
			return err;
	}
	return nr;
}

static int open_event(struct mp_perf_rings *rings, uint32_t number,
		      const char *filter)
{
	bool opened = false;
	size_t id;
	int nr;

	for (id = 0; id < rings->nr_ids; id++) {
		nr = open_for_id(rings, number, id, filter);
		if (nr < 0)
			return nr;
		opened |= nr > 0;
	}
	return opened ? 0 : -ESRCH;
}

/*
 * Opens the first event. Two tasks that inherited the same events may exchange them when one
 * is switched to the other, because counts are all the same. The events of a uprobe are not:
 * when one of the tasks exits, the kernel takes the probe of the other one away with it. It
 * never exchanges tasks with an inherited event that reports counts; Linux 6.13 and later
 * have these. This event makes no samples, so nothing else changes, but a switch between
 * two such tasks costs 6 us more.
 */
static int open_first(struct mp_perf_rings *rings)
{
	struct perf_event_attr *attr = &rings->events.list[0].attr;
	const uint64_t read_format = attr->read_format;
	int err = -EINVAL;

	if (attr->inherit && rings->keeps_apart) {
		attr->sample_type |= PERF_SAMPLE_READ;
		err = open_event(rings, 0, NULL);
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
	}
	rings->swaps = attr->inherit && err == -EINVAL;
	if (err == -EINVAL)
		attr->read_format = read_format;
	return err == -EINVAL ? open_event(rings, 0, NULL) : err;
}

int mp_perf_rings_open(struct mp_perf_rings *rings, size_t pages)
{
	struct rlimit limit;
	struct mp_perf_event *event;
	int err;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (rings->scope == MP_SCOPE_ALL)
		rings->nr_ids = 1;
	err = map_rings(rings, pages);
	if (!err)
		err = make_room(rings);
	if (err)
		return err;
	event = &rings->events.list[0];
	event->attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.mmap = 1, .mmap2 = 1, .mmap_data = rings->all_maps, .comm = 1, .comm_exec = 1, .task = 1,
		.cgroup = 1, .build_id = 1, .exclude_kernel = 1,
		.wakeup_watermark = watermark(pages),
	};
	complete(rings, &event->attr);
	snprintf(event->name, sizeof(event->name), "dummy:u");
	return open_first(rings);
}

int mp_perf_rings_hold(struct mp_perf_rings *rings, uint64_t config)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = PERF_ATTR_SIZE_VER7, .config = config,
		.disabled = 1,
	};
	int fd, *list;

	if (!rings->swaps)
		return 0;
	list = reallocarray(rings->held, rings->nr_held + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	rings->held = list;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, rings->cpus.list[0].cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	list[rings->nr_held++] = fd;
	return 0;
}

int mp_perf_rings_add(struct mp_perf_rings *rings,
		      const struct perf_event_attr *attr, const char *name,
		      const char *filter, const struct mp_format *format)
{
	uint32_t number = (uint32_t)rings->events.nr;
	struct mp_perf_event *event;
	int err = make_room(rings);

	if (err)
		return err;
	event = &rings->events.list[number];
	event->attr = *attr;
	event->attr.wakeup_watermark =
		rings->events.list[0].attr.wakeup_watermark;
	complete(rings, &event->attr);
	snprintf(event->name, sizeof(event->name), "%s", name);
	if (format)
		event->format = *format;
	err = open_event(rings, number, filter);
	if (err) {
		close_event(rings, number);
		rings->events.nr--;
		return err;
	}
	return (int)number;
}

/* Counts a tracepoint of a task or cgroup, without records. Returns a descriptor, or -1. */
static int count_id(const struct mp_perf_rings *rings, uint64_t config, int id, int cpu)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = PERF_ATTR_SIZE_VER7, .config = config,
	};

	return (int)syscall(SYS_perf_event_open, &attr, id, cpu, -1, PERF_FLAG_FD_CLOEXEC |
			    (rings->scope == MP_SCOPE_CGROUP ? PERF_FLAG_PID_CGROUP : 0));
}

/* Reads a count, and closes its descriptor. */
static uint64_t end_count(int fd)
{
	uint64_t count = 0;

	if (fd < 0)
		return 0;
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		count = 0;
	close(fd);
	return count;
}

uint64_t mp_perf_rings_rate(const struct mp_perf_rings *rings, uint64_t config,
			    unsigned int ms)
{
	/* a task is counted on all CPUs at once, a cgroup on each */
	const size_t per_id = rings->scope == MP_SCOPE_CGROUP ? (size_t)rings->cpus.nr : 1;
	const size_t nr = rings->nr_ids * per_id;
	int *fds = rings->scope == MP_SCOPE_ALL ? NULL : calloc(nr + 1, sizeof(*fds));
	uint64_t sum = 0, began_ns, ns;
	size_t i;

	if (!fds)
		return 0;
	began_ns = mp_clock_ns();
	for (i = 0; i < nr; i++)
		fds[i] = count_id(rings, config, rings->ids[i / per_id],
				  per_id == 1 && rings->scope != MP_SCOPE_CGROUP ? -1 :
				  rings->cpus.list[i % per_id].cpu);
	usleep(ms * 1000);
	for (i = 0; i < nr; i++)
		sum += end_count(fds[i]);
	free(fds);
	ns = mp_clock_ns() - began_ns;
	return (uint64_t)((double)sum * 1e9 / (double)(ns ?: 1));
}

/* Number of records of this event and CPU that found the ring full. */
static uint64_t read_lost(const struct mp_perf_event *event, int fd)
{
	uint64_t values[2];	/* the event's count, and what was lost of it */

	return fd >= 0 && event->attr.read_format == PERF_FORMAT_LOST &&
	       read(fd, values, sizeof(values)) == sizeof(values) ?
	       values[1] : 0;
}

/* Opens an event again, for the id that has changed; moves the old descriptors to @old. */
static int reopen_event(struct mp_perf_rings *rings, uint32_t number, size_t id,
			int *old)
{
	int *list = rings->fds[number].list + id * (size_t)rings->cpus.nr;
	size_t size = (size_t)rings->cpus.nr * sizeof(*list);
	int i, nr;

	memcpy(old, list, size);
	memset(list, -1, size);
	nr = open_for_id(rings, number, id, NULL);
	for (i = 0; nr >= 0 && i < rings->cpus.nr; i++)
		if (list[i] >= 0 && ioctl(list[i], PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	return nr < 0 ? nr : 0;
}

/* Closes the first @nr events of @old, which has descriptors by event and CPU. */
static void close_old(struct mp_perf_rings *rings, const int *old, size_t nr)
{
	const int *fd = old;
	size_t number;
	int i;

	for (number = 0; number < nr; number++) {
		for (i = 0; i < rings->cpus.nr; i++, fd++) {
			rings->nr_lost += read_lost(&rings->events.list[number], *fd);
			if (*fd >= 0)
				close(*fd);
		}
	}
}

int mp_perf_rings_replace(struct mp_perf_rings *rings, size_t id, int fd)
{
	size_t nr_cpus = (size_t)rings->cpus.nr, number;
	size_t nr_ids = rings->events.nr * nr_cpus;
	int *old = malloc((nr_ids + 1) * sizeof(*old)), err = old ? 0 : -ENOMEM;

	rings->ids[id] = fd;
	if (rings->events.by_id.nr + nr_ids > MP_PERF_MAX_IDS)
		err = -ENOSPC;
	if (old)
		memset(old, -1, nr_ids * sizeof(*old));
	for (number = 0; !err && number < rings->events.nr; number++)
		if (rings->fds[number].nr)
			err = reopen_event(rings, (uint32_t)number, id,
					   old + number * nr_cpus);
	/* afterwards, because to close the last event of a uprobe takes 0.1 s */
	if (old)
		close_old(rings, old, number);
	free(old);
	return err;
}

int mp_perf_rings_invent(struct mp_perf_rings *rings, const char *name,
			 uint16_t config)
{
	uint32_t number = (uint32_t)rings->events.nr, *known;
	int err = make_room(rings);
	struct mp_perf_event *event;

	if (err)
		return err;
	event = &rings->events.list[number];
	event->attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT, .config = config,
		.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
	};
	complete(rings, &event->attr);
	event->attr.inherit = 0;
	event->attr.read_format = 0;
	snprintf(event->name, sizeof(event->name), "%s", name);
	/* the kernel's ids start from 1, so they do not reach INVENTED */
	/* nothing to open, or to open again */
	rings->fds[number].nr = 0;
	known = mp_map_add(&rings->events.by_id, INVENTED | config, 0);
	if (!known)
		return -ENOMEM;
	*known = number;
	return (int)number;
}

static int switch_one(struct mp_perf_rings *rings, size_t event,
		      unsigned long request)
{
	const struct mp_perf_fds *fds = &rings->fds[event];
	size_t i;

	for (i = 0; i < fds->nr; i++)
		if (fds->list[i] >= 0 && ioctl(fds->list[i], request, 0))
			return -errno;
	return 0;
}

int mp_perf_rings_enable_one(struct mp_perf_rings *rings, size_t event)
{
	return switch_one(rings, event, PERF_EVENT_IOC_ENABLE);
}

int mp_perf_rings_enable(struct mp_perf_rings *rings, bool on)
{
	size_t nr = rings->events.nr, i;
	int err = 0;

	/* events for forks and frees come first: enable them first, disable them last */
	for (i = 0; !err && i < nr; i++)
		err = on ? switch_one(rings, i, PERF_EVENT_IOC_ENABLE) :
			   switch_one(rings, nr - 1 - i,
				      PERF_EVENT_IOC_DISABLE);
	return err;
}

int mp_perf_rings_drain(struct mp_perf_rings *rings,
			int (*take)(void *context,
				    const struct perf_event_header *record),
			void *context)
{
	return mp_cpu_rings_drain(&rings->cpus, take, context);
}

uint64_t mp_perf_rings_lost(const struct mp_perf_rings *rings)
{
	uint64_t sum = rings->nr_lost;
	size_t event, i;

	for (event = 0; event < rings->events.nr; event++)
		for (i = 0; i < rings->fds[event].nr; i++)
			sum += read_lost(&rings->events.list[event],
					 rings->fds[event].list[i]);
	return sum;
}

void mp_perf_rings_close(struct mp_perf_rings *rings)
{
	size_t event;

	mp_cpu_rings_close(&rings->cpus);
	while (rings->nr_held)
		close(rings->held[--rings->nr_held]);
	free(rings->held);
	rings->held = NULL;
	for (event = 0; rings->fds && event < rings->events.nr; event++)
		close_event(rings, event);
	free(rings->fds);
	mp_perf_events_free(&rings->events);
	rings->fds = NULL;
	rings->poll_fd = -1;
}
