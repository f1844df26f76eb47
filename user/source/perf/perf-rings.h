/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-rings: events of tasks, of cgroups or of everything, and their rings
 */
#ifndef MP_PERF_RINGS_H
#define MP_PERF_RINGS_H

#include "cpu-rings.h"
#include "perf-events.h"

#include <stdbool.h>
#include <sys/types.h>

/**
 * enum mp_scope - whose events
 * @MP_SCOPE_ALL: of every task
 * @MP_SCOPE_CGROUP: of those in cgroups and below
 * @MP_SCOPE_TASKS: of threads, and of what they make
 */
enum mp_scope {
	MP_SCOPE_ALL,
	MP_SCOPE_CGROUP,
	MP_SCOPE_TASKS,
};

/* Open files of one event; -1 for one that is not. */
struct mp_perf_fds {
	int *list;
	size_t nr;
};

/**
 * struct mp_perf_rings - a recording that runs
 * @events: that were opened
 * @scope: of all events
 * @ids: of MP_SCOPE_TASKS: threads, which may be others for later events; of
 *	MP_SCOPE_CGROUP: descriptors of folders, the caller's
 * @nr_ids: of them; of MP_SCOPE_ALL 1
 * @on_exec: events begin when the task calls exec
 * @no_children: of MP_SCOPE_TASKS: what threads fork is not followed
 * @poll_fd: readable when a ring is half full
 * @fds: by event; of each by id, by ring
 */
struct mp_perf_rings {
	struct mp_perf_events events;
	enum mp_scope scope;
	int *ids;
	size_t nr_ids;
	bool on_exec;
	bool no_children;
	int poll_fd;
	struct mp_perf_fds *fds;
	struct mp_cpu_rings cpus;
};

/**
 * mp_perf_rings_open - make the rings, with the event that tells of mappings,
 * names, forks, exits and cgroups
 * @rings: scope, ids, on_exec are set, the rest is zero
 * @pages: of each ring, a power of two
 *
 * Return: 0, or a negative errno; mp_perf_rings_close() follows in any case.
 */
int mp_perf_rings_open(struct mp_perf_rings *rings, size_t pages);

/**
 * mp_perf_rings_add - open one event more
 * @attr: type, config, period, sample_type; the rest is set here
 * @filter: of a tracepoint, or NULL
 * @format: of a tracepoint, or NULL
 *
 * Return: its number, or a negative errno.
 */
int mp_perf_rings_add(struct mp_perf_rings *rings,
		      const struct perf_event_attr *attr, const char *name,
		      const char *filter, const struct mp_format *format);

/**
 * mp_perf_rings_invent - add an event that the kernel does not have
 *
 * For samples that we make ourselves, with call chain and raw data.
 *
 * Return: its number, or a negative errno.
 */
int mp_perf_rings_invent(struct mp_perf_rings *rings, const char *name,
			 uint16_t number);

/** mp_perf_rings_enable_one - let an event count that was added later */
int mp_perf_rings_enable_one(struct mp_perf_rings *rings, size_t event);

/** mp_perf_rings_enable - enable all events, or disable them */
int mp_perf_rings_enable(struct mp_perf_rings *rings, bool on);

/** mp_perf_rings_drain - visit all rings once, see mp_cpu_rings_drain() */
int mp_perf_rings_drain(struct mp_perf_rings *rings,
			int (*take)(void *context,
				    const struct perf_event_header *record),
			void *context);

void mp_perf_rings_close(struct mp_perf_rings *rings);

/** mp_perf_sample_type - what each of our events samples at least */
#define MP_PERF_SAMPLE_TYPE						\
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |	\
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CGROUP)

#endif
