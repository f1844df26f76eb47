/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-rings: records perf events of tasks, of cgroups or of the whole machine
 */
#ifndef MP_PERF_RINGS_H
#define MP_PERF_RINGS_H

#include "cpu-rings.h"
#include "perf-events.h"

#include <stdbool.h>
#include <sys/types.h>

/**
 * enum mp_scope - which tasks are recorded
 * @MP_SCOPE_ALL: every task
 * @MP_SCOPE_CGROUP: the tasks of some cgroups and of their descendants
 * @MP_SCOPE_TASKS: some threads, and the threads and processes they create
 */
enum mp_scope {
	MP_SCOPE_ALL,
	MP_SCOPE_CGROUP,
	MP_SCOPE_TASKS,
};

/* File descriptors of one event; -1 means not open. */
struct mp_perf_fds {
	int *list;
	size_t nr;
};

/**
 * struct mp_perf_rings - a running recording
 * @events: the open events
 * @scope: which tasks all events record
 * @ids: for MP_SCOPE_TASKS: thread ids, which may differ for events added
 *	later; for MP_SCOPE_CGROUP: descriptors of cgroup folders, owned by the
 *	caller
 * @nr_ids: number of @ids; 1 for MP_SCOPE_ALL
 * @on_exec: events start when the task calls exec
 * @no_children: for MP_SCOPE_TASKS: do not record child processes
 * @all_maps: report all mappings, not only those with code
 * @keeps_apart: for MP_SCOPE_TASKS: the kernel shall not exchange the events of two tasks,
 *	which takes uprobes away; where it can do that (Linux 6.13)
 * @poll_fd: readable when a ring reaches its watermark
 * @fds: for each event, its descriptors by id and by ring
 * @nr_lost: records that closed events have lost, see mp_perf_rings_lost()
 * @swaps: the kernel may exchange the events of two tasks
 * @held: what mp_perf_rings_hold() opened, @nr_held descriptors
 */
struct mp_perf_rings {
	struct mp_perf_events events;
	enum mp_scope scope;
	int *ids;
	size_t nr_ids;
	bool on_exec;
	bool no_children;
	bool all_maps;
	bool keeps_apart;
	int poll_fd;
	struct mp_perf_fds *fds;
	uint64_t nr_lost;
	bool swaps;
	int *held;
	size_t nr_held;
	struct mp_cpu_rings cpus;
};

/**
 * mp_perf_rings_open - open the rings, with the event that reports mappings,
 * names, forks, exits and cgroups
 * @rings: the caller sets scope, ids, on_exec, no_children, all_maps and keeps_apart; the rest is
 *	zero
 * @pages: size of each ring, a power of two
 *
 * Return: 0, or a negative errno; call mp_perf_rings_close() in any case.
 */
int mp_perf_rings_open(struct mp_perf_rings *rings, size_t pages);

/**
 * mp_perf_rings_add - open another event
 * @attr: with type, config, period and sample_type; the rest is set here
 * @filter: filter of a tracepoint, or NULL
 * @format: format of a tracepoint, or NULL
 *
 * Return: index of the event, or a negative errno.
 */
int mp_perf_rings_add(struct mp_perf_rings *rings,
		      const struct perf_event_attr *attr, const char *name,
		      const char *filter, const struct mp_format *format);

/**
 * mp_perf_rings_hold - keep a uprobe in processes whose events may be exchanged
 * @config: the tracepoint's id
 *
 * The uprobe stays in all processes that have its file until mp_perf_rings_close(), and
 * costs a trap in each; so only for probes that few processes run into. Where events are
 * not exchanged nothing is done.
 *
 * Return: 0, or a negative errno; the probe works without it, too.
 */
int mp_perf_rings_hold(struct mp_perf_rings *rings, uint64_t config);

/**
 * mp_perf_rings_rate - count how often the recorded tasks run into a tracepoint
 * @config: its id; it need not be an event of the recording
 * @ms: for so long; the caller waits
 *
 * Return: times a second, of all tasks together; 0 for MP_SCOPE_ALL, or after an error.
 */
uint64_t mp_perf_rings_rate(const struct mp_perf_rings *rings, uint64_t config,
			    unsigned int ms);

/**
 * mp_perf_rings_invent - add an event that the kernel does not have
 *
 * It is for samples made by this program, with call chain and raw data.
 *
 * Return: index of the event, or a negative errno.
 */
int mp_perf_rings_invent(struct mp_perf_rings *rings, const char *name,
			 uint16_t number);

/**
 * mp_perf_rings_replace - record another cgroup or task in place of one
 * @id: index in @rings->ids
 * @fd: takes its place; the caller closes the old descriptor of a cgroup's folder
 *
 * All events are opened again, without filters, and are enabled. Their records have
 * new ids.
 *
 * Return: 0; -ENOSPC with no event opened if a recording cannot have more ids;
 * another negative errno with some events open.
 */
int mp_perf_rings_replace(struct mp_perf_rings *rings, size_t id, int fd);

/**
 * mp_perf_rings_lost - get the number of records that were lost because a ring
 * was full
 *
 * The kernel reports losses in a record only when the next record fits into the
 * ring. So the last losses may not be reported there, but they are in this
 * number. Cost: a system call for each event, CPU and target.
 *
 * Return: the number since the rings were opened; 0 before Linux 6.0.
 */
uint64_t mp_perf_rings_lost(const struct mp_perf_rings *rings);

/** mp_perf_rings_enable_one - enable an event that was added later */
int mp_perf_rings_enable_one(struct mp_perf_rings *rings, size_t event);

/** mp_perf_rings_enable - enable all events, or disable them */
int mp_perf_rings_enable(struct mp_perf_rings *rings, bool on);

/** mp_perf_rings_drain - read all rings once, see mp_cpu_rings_drain() */
int mp_perf_rings_drain(struct mp_perf_rings *rings,
			int (*take)(void *context,
				    const struct perf_event_header *record),
			void *context);

void mp_perf_rings_close(struct mp_perf_rings *rings);

/** mp_perf_sample_type - fields that each of our events samples at least */
#define MP_PERF_SAMPLE_TYPE						\
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |	\
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CGROUP)

#endif
