/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session: records the events of targets from one of the sources
 */
#ifndef MP_SESSION_H
#define MP_SESSION_H

#include "cgroup-targets.h"
#include "follower.h"
#include "injected.h"
#include "prober.h"
#include "record-options.h"
#include "tracer.h"

/**
 * mp_session_ring_pages - get the size of each CPU's ring, in pages
 *
 * The size is 2 MiB. With copies of stacks, records are a hundred times as
 * large. Then the size is up to 64 MiB, with at most 256 MiB for all CPUs.
 */
size_t mp_session_ring_pages(const struct mp_tracer *tracer);

/**
 * struct mp_session - a running session
 * @source: source of the numbers; never MP_SOURCE_AUTO
 * @device: descriptor of the module's device for MP_SOURCE_KMOD; else -1
 * @tracer: events of MP_SOURCE_PERF, or the module's events for a recording
 * @cgroups: the targets of MP_SOURCE_PERF if they are cgroups; else zero
 * @prober: probes the allocators of targets, see mp_session_probes()
 * @follower: finds new binaries if there are probes
 * @injected: processes that have the library for this session
 * @alloc_rate: mean bytes between two samples; 1: every call; 0: no allocations
 * @pace: samples a second that a thread takes at most; 0: any number
 * @dump_bytes: limit of copies of stacks that wait; 0: the default
 * @start: streams and periods
 * @targets: text that lists the targets, printable
 */
struct mp_session {
	enum mp_source source;
	int device;
	struct mp_tracer tracer;
	struct mp_cgroup_targets cgroups;
	struct mp_prober prober;
	struct mp_follower follower;
	struct mp_injected injected;
	uint64_t alloc_rate;
	uint32_t pace;
	size_t dump_bytes;
	struct memprof_start start;
	char targets[MP_TARGETS_SIZE];
};

/**
 * mp_session_begin - choose a source and begin a session
 * @session: initialised here; must not move afterwards
 * @options: processes and events to record
 * @on_exec: the target is one process that will call exec: events begin at exec
 * @diag: also gets warnings about the chosen source and what it cannot do
 *
 * Return: 0, or a negative errno with the reason in @diag. Call
 * mp_session_end() in any case.
 */
int mp_session_begin(struct mp_session *session,
		     const struct mp_record_options *options, bool on_exec,
		     struct mp_diag *diag);

/**
 * mp_session_open_rings - open the events of a session of MP_SOURCE_KMOD or
 * MP_SOURCE_SMAPS
 *
 * Return: 0, or a negative errno.
 */
int mp_session_open_rings(struct mp_session *session);

/** mp_session_probes - check whether allocators or sections of programs are probed */
bool mp_session_probes(const struct mp_session *session);

/** mp_session_follows - check whether binaries that targets map newly are looked at */
bool mp_session_follows(const struct mp_session *session);

/** mp_session_has_calls - whether the events of a session tell each followed allocation */
bool mp_session_has_calls(const struct mp_session *session);

/** mp_session_streams - check whether there are events that the engine must add up */
bool mp_session_streams(const struct mp_session *session);

/**
 * mp_session_work - probe binaries that targets have newly mapped, and follow
 * cgroups that were made anew
 */
void mp_session_work(struct mp_session *session);

/**
 * mp_session_rows - get the rows that the source makes without the engine
 *
 * MP_SOURCE_KMOD: the module's tables. MP_SOURCE_SMAPS: the current sizes of
 * targets. MP_SOURCE_PERF: none, because the engine adds up its events.
 *
 * Return: 0, or a negative errno.
 */
int mp_session_rows(const struct mp_session *session,
		    struct mp_profile *profile);

/** mp_session_alloc_meta - get how allocations are recorded */
void mp_session_alloc_meta(const struct mp_session *session,
			   struct mp_alloc_meta *meta);

/** mp_session_end - end the session and free all */
void mp_session_end(struct mp_session *session);

/** mp_session_end_later - the same; what takes long goes on in a child process */
void mp_session_end_later(struct mp_session *session);

#endif
