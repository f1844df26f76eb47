/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-synth: records of the processes and cgroups that were there before the recording
 */
#ifndef MP_PERF_SYNTH_H
#define MP_PERF_SYNTH_H

#include "perf-events.h"
#include "profile.h"

#include <sys/types.h>

/**
 * struct mp_perf_synth - where records go
 * @put: gets each record; 0, or a negative errno, which ends it
 * @context: for @put
 * @id: of the event that the records belong to
 */
struct mp_perf_synth {
	int (*put)(void *context, const struct perf_event_header *record);
	void *context;
	uint64_t id;
};

/**
 * mp_perf_synth_kernel_at - where a kernel's code is
 * @text: its begin, by which perf knows where the kernel was loaded; 0: not known
 * @etext: its end
 */
int mp_perf_synth_kernel_at(const struct mp_perf_synth *synth, uint64_t text,
			    uint64_t etext);

/** mp_perf_synth_kernel - where the running kernel's code is, if we may know */
int mp_perf_synth_kernel(const struct mp_perf_synth *synth);

/** mp_perf_synth_process - name and mappings; 0 for a process that exited */
int mp_perf_synth_process(const struct mp_perf_synth *synth, pid_t pid);

/** mp_perf_synth_machine - the same for every process */
int mp_perf_synth_machine(const struct mp_perf_synth *synth);

/** mp_perf_synth_cgroups - every cgroup of the v2 hierarchy, by its path */
int mp_perf_synth_cgroups(const struct mp_perf_synth *synth);

/**
 * mp_perf_synth_row - a row of a profile as a sample of memprof:site or memprof:process
 * @number: of its format: MP_PERF_ID_SITE or MP_PERF_ID_PROCESS
 * @time_ns: of the snapshot
 * @period: the value that perf ranks by
 */
int mp_perf_synth_row(const struct mp_perf_synth *synth, uint16_t number,
		      uint64_t time_ns, uint64_t period,
		      const struct mp_row *row);

/**
 * mp_perf_synth_stack - the same with a call chain
 * @frames: addresses, innermost first; the first one is a context mark
 */
int mp_perf_synth_stack(const struct mp_perf_synth *synth, uint16_t number,
			uint64_t time_ns, uint64_t period,
			const struct mp_row *row, const uint64_t *frames,
			uint32_t nr);

/** mp_perf_synth_comm - the name of a process */
int mp_perf_synth_comm(const struct mp_perf_synth *synth, pid_t pid,
		       const char *comm);

/** mp_perf_synth_map - a mapping of a binary, from the begin of its file */
int mp_perf_synth_map(const struct mp_perf_synth *synth, pid_t pid,
		      uint64_t start, uint64_t len,
		      const struct mp_binary *binary);

#endif
