/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-synth: records of what was there before the recording
 */
#ifndef MP_PERF_SYNTH_H
#define MP_PERF_SYNTH_H

#include "perf-events.h"
#include "profile.h"

#include <sys/types.h>

/**
 * struct mp_perf_synth - where records go
 * @put: gets each; 0 or a negative errno, which ends it
 * @context: for it
 * @id: of the event that they belong to
 */
struct mp_perf_synth {
	int (*put)(void *context, const struct perf_event_header *record);
	void *context;
	uint64_t id;
};

/**
 * mp_perf_synth_kernel_at - where a kernel's code is
 * @text: its begin, which perf compares with where it is at home; 0: not known
 * @etext: its end
 */
int mp_perf_synth_kernel_at(const struct mp_perf_synth *synth, uint64_t text,
			    uint64_t etext);

/** mp_perf_synth_kernel - where the kernel's code is, as far as we may know */
int mp_perf_synth_kernel(const struct mp_perf_synth *synth);

/** mp_perf_synth_process - name and mappings; 0 for one that has gone */
int mp_perf_synth_process(const struct mp_perf_synth *synth, pid_t pid);

/** mp_perf_synth_machine - the same for every process */
int mp_perf_synth_machine(const struct mp_perf_synth *synth);

/** mp_perf_synth_cgroups - every cgroup of the v2 hierarchy, by its path */
int mp_perf_synth_cgroups(const struct mp_perf_synth *synth);

/**
 * mp_perf_synth_row - a row of a profile as a sample of memprof:site or :process
 * @number: of its format: MP_PERF_ID_SITE or MP_PERF_ID_PROCESS
 * @time_ns: of the snapshot
 * @period: what perf is to rank by
 */
int mp_perf_synth_row(const struct mp_perf_synth *synth, uint16_t number,
		      uint64_t time_ns, uint64_t period,
		      const struct mp_row *row);

/**
 * mp_perf_synth_stack - the same with a call chain
 * @frames: addresses, innermost first, with the marks of contexts: such a mark is
 *	the first of them
 */
int mp_perf_synth_stack(const struct mp_perf_synth *synth, uint16_t number,
			uint64_t time_ns, uint64_t period,
			const struct mp_row *row, const uint64_t *frames,
			uint32_t nr);

/** mp_perf_synth_comm - the name of a process */
int mp_perf_synth_comm(const struct mp_perf_synth *synth, pid_t pid,
		       const char *comm);

/** mp_perf_synth_map - code of a binary, from its beginning on, in a process */
int mp_perf_synth_map(const struct mp_perf_synth *synth, pid_t pid,
		      uint64_t start, uint64_t len,
		      const struct mp_binary *binary);

#endif
