/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session: follows targets by one of the sources
 */
#ifndef MP_SESSION_H
#define MP_SESSION_H

#include "follower.h"
#include "prober.h"
#include "record-options.h"
#include "tracer.h"

/**
 * mp_session_ring_pages - the size of each CPU's ring, in pages
 *
 * 2 MiB. Pieces of stacks are a hundred times as large as the rest of a record: with them
 * up to 64 MiB, and 256 MiB for all CPUs together.
 */
size_t mp_session_ring_pages(const struct mp_tracer *tracer);

/**
 * struct mp_session - a session that runs
 * @source: where numbers come from; never MP_SOURCE_AUTO
 * @device: of MP_SOURCE_KMOD; else -1
 * @tracer: events of MP_SOURCE_PERF, and of a recording of the module's events
 * @prober: probes the allocators of targets, see mp_session_probes()
 * @follower: notices new binaries, where there are probes
 * @alloc_rate: mean bytes between two samples; 1: every call; 0: no allocations
 * @start: streams and periods
 * @targets: what is followed, printable
 * @start_ns: CLOCK_MONOTONIC
 */
struct mp_session {
	enum mp_source source;
	int device;
	struct mp_tracer tracer;
	struct mp_prober prober;
	struct mp_follower follower;
	uint64_t alloc_rate;
	struct memprof_start start;
	char targets[MP_TARGETS_SIZE];
	uint64_t start_ns;
};

/**
 * mp_session_begin - choose a source and begin
 * @session: set up here; must not move afterwards
 * @options: what to follow
 * @on_exec: the target is one process that waits and will call exec: events begin then
 * @diag: warns of the source that was chosen where the user left that open, and of what
 *	that source cannot do
 *
 * Return: 0, or a negative errno and @diag says why. mp_session_end() follows in
 * any case.
 */
int mp_session_begin(struct mp_session *session,
		     const struct mp_record_options *options, bool on_exec,
		     struct mp_diag *diag);

/**
 * mp_session_open_rings - open the events of a session of the module, or of sizes
 *
 * Return: 0, or a negative errno.
 */
int mp_session_open_rings(struct mp_session *session);

/** mp_session_probes - check whether allocators, or sections of programs, are probed */
bool mp_session_probes(const struct mp_session *session);

/** mp_session_streams - check whether events come in that the engine adds up */
bool mp_session_streams(const struct mp_session *session);

/** mp_session_work - probe binaries that targets have begun to use */
void mp_session_work(struct mp_session *session);

/**
 * mp_session_rows - the rows that the source itself keeps
 *
 * MP_SOURCE_KMOD: the module's tables. MP_SOURCE_SMAPS: the sizes of targets now.
 * MP_SOURCE_PERF: none, for its events are added up by the engine.
 *
 * Return: 0, or a negative errno.
 */
int mp_session_rows(const struct mp_session *session,
		    struct mp_profile *profile);

/** mp_session_alloc_meta - how allocations are followed */
void mp_session_alloc_meta(const struct mp_session *session,
			   struct mp_alloc_meta *meta);

/** mp_session_end - end the session and free all */
void mp_session_end(struct mp_session *session);

#endif
