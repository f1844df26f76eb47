/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-synth: makes records for processes and cgroups that existed before the
 * recording
 */
#ifndef MP_PERF_SYNTH_H
#define MP_PERF_SYNTH_H

#include "perf-events.h"
#include "profile.h"

#include <memprof/region.h>

#include <sys/types.h>

/**
 * struct mp_perf_synth - where the records go
 * @put: called with each record; returns 0, or a negative errno, which stops
 *	the work
 * @context: for @put
 * @id: id of the event that the records belong to
 * @areas: write all mappings of processes, not only those with code
 */
struct mp_perf_synth {
	int (*put)(void *context, const struct perf_event_header *record);
	void *context;
	uint64_t id;
	bool areas;
};

/**
 * mp_perf_synth_kernel - write the address range of a kernel's code
 * @text: first address, from which perf learns where the kernel was loaded; 0:
 *	not known
 * @etext: end address
 */
int mp_perf_synth_kernel(const struct mp_perf_synth *synth, uint64_t text,
			 uint64_t etext);

/** mp_perf_synth_process - write a process's name and mappings; 0 if it exited */
int mp_perf_synth_process(const struct mp_perf_synth *synth, pid_t pid);

/** mp_perf_synth_machine - write the names and mappings of every process */
int mp_perf_synth_machine(const struct mp_perf_synth *synth);

/** mp_perf_synth_cgroups - write the path of every cgroup of the v2 hierarchy */
int mp_perf_synth_cgroups(const struct mp_perf_synth *synth);

/**
 * mp_perf_synth_row - write a row as a sample of memprof:site or
 * memprof:process
 * @number: event number: MP_PERF_ID_SITE or MP_PERF_ID_PROCESS
 * @time_ns: time of the snapshot
 * @period: the value by which perf sorts
 */
int mp_perf_synth_row(const struct mp_perf_synth *synth, uint16_t number,
		      uint64_t time_ns, uint64_t period,
		      const struct mp_row *row);

/**
 * mp_perf_synth_stack - write a row as a sample with a call chain
 * @frames: addresses, innermost first, after a context mark
 */
int mp_perf_synth_stack(const struct mp_perf_synth *synth, uint16_t number,
			uint64_t time_ns, uint64_t period,
			const struct mp_row *row, const uint64_t *frames,
			uint32_t nr);

/**
 * mp_perf_synth_function - write the name of a function of Python as a sample of
 * memprof:function
 * @time_ns: time of the sample that has the function in its stack
 */
int mp_perf_synth_function(const struct mp_perf_synth *synth, uint64_t time_ns, uint32_t pid,
			   uint32_t tid, const struct memprof_region_function *function);

/**
 * mp_perf_synth_exit - write that a process has ended: an exit of thread 0, which
 * stands for all its threads
 * @time_ns: CLOCK_MONOTONIC
 */
int mp_perf_synth_exit(const struct mp_perf_synth *synth, pid_t pid, uint64_t time_ns);

/** mp_perf_synth_lost - write that events were lost, at the time @time_ns */
int mp_perf_synth_lost(const struct mp_perf_synth *synth, uint64_t nr, uint64_t time_ns);

/** mp_perf_synth_comm - write the name of a process */
int mp_perf_synth_comm(const struct mp_perf_synth *synth, pid_t pid,
		       const char *comm);

/** mp_perf_synth_map - write a mapping of a binary, from offset 0 of its file */
int mp_perf_synth_map(const struct mp_perf_synth *synth, pid_t pid,
		      uint64_t start, uint64_t len,
		      const struct mp_binary *binary);

#endif
