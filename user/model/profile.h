/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile: what a source measured and a writer shows
 *
 * Rows of metrics, each for a process or for a cgroup, with what one must know
 * to read them: sampling periods, times, counters of what was left out.
 */
#ifndef MP_PROFILE_H
#define MP_PROFILE_H

#include "cgroup-names.h"
#include "frames.h"
#include "metric.h"
#include "series.h"
#include "symbols.h"

#include <linux/memprof.h>

/* Each byte of a command name may be escaped to four. */
#define MP_COMM_SIZE	(4 * MEMPROF_COMM_LEN)
#define MP_TARGETS_SIZE	512

/* Warnings: sentences for people, each once. */
#define MP_MAX_WARNINGS	16
#define MP_WARNING_SIZE	320

/* Room for "id:" and any 64-bit number. */
#define MP_CGROUP_ID_SIZE	24

enum mp_row_kind {
	MP_ROW_PROCESS,
	MP_ROW_CGROUP,
	MP_ROW_SITE,
	MP_ROW_STACK,
	MP_NR_ROW_KINDS,
};

/**
 * enum mp_row_flag - what a row stands for
 * @MP_ROW_EXITED: the process is gone; its levels are the last it had
 * @MP_ROW_FOLDED: the sum of exited processes, not one
 * @MP_ROW_OVERFLOW: what found the kernel's table full, not one process or cgroup
 * @MP_ROW_MAPPED: its mappings were read: HEAP, STACKS, FILES and SHARED are told
 * @MP_ROW_SPLIT: LIVE-RSS and HELD are told
 * @MP_ROW_BOUND: LIVE-RSS is an upper bound, HELD a lower one
 * @MP_ROW_ROLLED: the row of a cgroup above holds all of this cgroup's, too
 * @MP_ROW_NESTED: the CURRENT of a cgroup above holds this cgroup's, too
 */
enum mp_row_flag {
	MP_ROW_EXITED	= 1 << 0,
	MP_ROW_FOLDED	= 1 << 1,
	MP_ROW_OVERFLOW	= 1 << 2,
	MP_ROW_MAPPED	= 1 << 3,
	MP_ROW_SPLIT	= 1 << 4,
	MP_ROW_BOUND	= 1 << 5,
	MP_ROW_ROLLED	= 1 << 6,
	MP_ROW_NESTED	= 1 << 7,
};

/**
 * enum mp_location_scope - how much of its place a row stands for
 * @MP_SCOPE_ADDRESS: one address
 * @MP_SCOPE_FUNCTION: all of a function
 * @MP_SCOPE_SOURCE: all that was made from a source file
 * @MP_SCOPE_BINARY: all of a binary
 * @MP_SCOPE_ANY: all there is
 */
enum mp_location_scope {
	MP_SCOPE_ADDRESS,
	MP_SCOPE_FUNCTION,
	MP_SCOPE_SOURCE,
	MP_SCOPE_BINARY,
	MP_SCOPE_ANY,
};

/**
 * struct mp_location - a callsite: where an allocator returns to
 * @binary: in mp_profile.binaries, from 1; 0: in none
 * @func: enum memprof_func of its first call
 * @address: in the process
 * @offset: in the binary's file
 * @histogram: in mp_profile.histograms, from 1; 0: none
 * @stack: in mp_profile.frames, from 1; 0: none. Of a callsite: its first call's
 * @level: of the callsite in it
 * @line: of the callsite among what that frame is called
 * @scope: what of it the row stands for
 */
struct mp_location {
	uint32_t binary;
	uint32_t func;
	uint64_t address;
	uint64_t offset;
	uint32_t histogram;
	uint32_t stack;
	uint32_t level;
	uint32_t line;
	enum mp_location_scope scope;
};

/**
 * struct mp_row - metrics of a process, of a cgroup or of a callsite
 * @kind: which of them
 * @flags: enum mp_row_flag bits
 * @pid: of a process, or of a callsite that is not merged; 0 for a cgroup and for folded and overflow rows
 * @nr_processes: living ones of a cgroup; those that were merged into a callsite
 *	or a stack, or folded into a row; 0 for a process
 * @cgroup: id of the process's cgroup, or of the cgroup
 * @start_ns: CLOCK_BOOTTIME at which the process began; names it with @pid
 * @exit_ns: CLOCK_MONOTONIC; 0 while it lives
 * @comm: printable UTF-8 once in a profile; empty for a cgroup
 * @location: of a callsite
 * @value: by enum mp_metric, in the metric's unit
 */
struct mp_row {
	enum mp_row_kind kind;
	unsigned int flags;
	uint32_t pid;
	uint32_t nr_processes;
	uint64_t cgroup;
	uint64_t start_ns;
	uint64_t exit_ns;
	char comm[MP_COMM_SIZE];
	struct mp_location location;
	uint64_t value[MP_NR_METRICS];
};

struct mp_counter {
	char name[MEMPROF_NAME_LEN];
	uint64_t value;
};

/* What the kernel tells of a build-id at most. */
#define MP_BUILD_ID_SIZE	20

/**
 * struct mp_binary - a file that callsites are in
 * @inode: number; 0 where the build-id stands for it
 * @dev: of its file system, as struct stat has it
 * @build_id: of its code
 * @build_id_size: bytes of it; 0 where it is not known
 * @pid: a process that runs it, of a callsite in it; or 0
 * @path: as its first process saw it; may hold any byte
 */
struct mp_binary {
	uint64_t inode;
	uint64_t dev;
	uint8_t build_id[MP_BUILD_ID_SIZE];
	uint32_t build_id_size;
	uint32_t pid;
	char path[MEMPROF_PATH_LEN];
};

/**
 * struct mp_histogram - of a callsite, bins as in struct memprof_site
 * @sizes: allocations by size
 * @lifetimes: freed blocks by age
 */
struct mp_histogram {
	uint64_t sizes[MEMPROF_HISTOGRAM];
	uint64_t lifetimes[MEMPROF_HISTOGRAM];
};

/**
 * struct mp_alloc_meta - how allocations are followed; 0 where they are not
 * @rate: mean bytes between two samples; 1: every allocation
 * @nr_probes: in place
 * @nr_binaries: that they are in
 * @rescan_errno: new binaries are looked for once a second, because the
 *	kernel would not tell of them: for this reason; 0 where it does
 */
struct mp_alloc_meta {
	uint64_t rate;
	uint32_t nr_probes;
	uint32_t nr_binaries;
	uint32_t rescan_errno;
};

/**
 * enum mp_source - where numbers come from
 * @MP_SOURCE_AUTO: not chosen yet; of a file, not known
 * @MP_SOURCE_KMOD: the module
 * @MP_SOURCE_PERF: perf's events
 * @MP_SOURCE_SMAPS: sizes in /proc
 * @MP_SOURCE_PRELOAD: a library in the process
 */
enum mp_source {
	MP_SOURCE_AUTO,
	MP_SOURCE_KMOD,
	MP_SOURCE_PERF,
	MP_SOURCE_SMAPS,
	MP_SOURCE_PRELOAD,
	MP_NR_SOURCES,
};

/** mp_source_name - what a source is called: in options, in JSON */
const char *mp_source_name(enum mp_source source);

/**
 * struct mp_meta - how a session stood when its profile was taken
 * @status: of the kernel; times are CLOCK_MONOTONIC, now_ns that of the snapshot
 * @source: of the numbers
 * @alloc: what only the collector knows
 * @page_size: bytes that a fault touches
 * @kernel_start, @kernel_end: of its code, when frames had their addresses; 0:
 *	as it runs now
 * @targets: printable list of what was asked for
 */
struct mp_meta {
	struct memprof_status status;
	enum mp_source source;
	struct mp_alloc_meta alloc;
	uint32_t page_size;
	uint64_t kernel_start, kernel_end;
	char targets[MP_TARGETS_SIZE];
};

/**
 * struct mp_profile - rows and their meta data; all zero is an empty one
 * @rows: in the order of the last sort
 * @counters: sums of what was skipped, dropped or counted less exactly
 * @names: paths of the cgroups that rows refer to
 * @binaries: that callsites are in
 * @histograms: of callsites
 * @frames: and stacks that callsites are in
 * @symbols: what frames are called, where that was looked up
 * @warnings: what makes numbers less than complete, printable
 * @series: of all together, over time; empty where nobody followed it
 */
struct mp_profile {
	struct mp_meta meta;
	struct mp_row *rows;
	size_t nr_rows;
	size_t max_rows;
	struct mp_counter *counters;
	size_t nr_counters;
	struct mp_cgroup_names names;
	struct mp_binary *binaries;
	size_t nr_binaries;
	struct mp_histogram *histograms;
	size_t nr_histograms;
	struct mp_frames frames;
	struct mp_symbols symbols;
	char (*warnings)[MP_WARNING_SIZE];
	size_t nr_warnings;
	struct mp_series series[MP_NR_SERIES];
};

/**
 * struct mp_total - rows of one kind added up
 * @nr_rows: how many
 * @nr_named: of these, rows of one process or cgroup
 * @nr_exited: of those, processes that are gone
 * @nr_processes: sum of nr_processes
 * @value: by enum mp_metric; 0 for metrics of nature MP_PEAK
 */
struct mp_total {
	size_t nr_rows;
	size_t nr_named;
	size_t nr_exited;
	uint64_t nr_processes;
	uint64_t value[MP_NR_METRICS];
};

/** mp_profile_free - free what a profile holds; it is empty afterwards */
void mp_profile_free(struct mp_profile *profile);

/**
 * mp_profile_reserve - make room
 * @nr: rows that will be added; a hint
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_reserve(struct mp_profile *profile, size_t nr);

/**
 * mp_profile_add - add a row
 * @row: copied; its comm is made printable
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_add(struct mp_profile *profile, const struct mp_row *row);

/**
 * mp_profile_add_counter - add a counter; one of the same name is added to
 * @name: cut to MEMPROF_NAME_LEN - 1 bytes, made printable
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_add_counter(struct mp_profile *profile, const char *name,
			   uint64_t value);

/**
 * mp_profile_warn - add a warning; one that is there, or that finds
 * MP_MAX_WARNINGS, is dropped
 * @text: made printable
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_warn(struct mp_profile *profile, const char *text);

/**
 * mp_profile_cgroup - how to show a cgroup
 * @id: of the cgroup
 * @buf: MP_CGROUP_ID_SIZE bytes, used where the path is not known
 *
 * Return: the path, or "id:N" in @buf; "" for id 0.
 */
const char *mp_profile_cgroup(const struct mp_profile *profile, uint64_t id,
			      char *buf);

/**
 * mp_profile_merge - make one row of the rows that one process or cgroup has
 *
 * A process that called exec has a row for each program that it ran. The newest
 * gives name, cgroup and levels; flows are added, peaks are the highest. Leaves
 * the rows in no useful order.
 */
void mp_profile_merge(struct mp_profile *profile);

/**
 * mp_profile_sort - highest value first
 * @metric: to sort by; ties go by PEAK, ALLOC'D and TOUCHED, then by kind, pid
 *	and cgroup id
 *
 * By a level the living come before the exited: what an exited process once
 * held says nothing about now.
 */
void mp_profile_sort(struct mp_profile *profile, enum mp_metric metric);

/**
 * mp_profile_total - add up the rows of a kind
 * @total: out
 */
void mp_profile_total(const struct mp_profile *profile, enum mp_row_kind kind,
		      struct mp_total *total);

/** mp_profile_finest - MP_ROW_STACK, or MP_ROW_SITE where there are no stacks */
enum mp_row_kind mp_profile_finest(const struct mp_profile *profile);

/** mp_row_derive - compute the metrics that follow from others */
void mp_row_derive(struct mp_row *row, uint32_t page_size);

/** mp_row_is_sum - whether a row stands for more than it could name */
static inline bool mp_row_is_sum(const struct mp_row *row)
{
	return row->flags & (MP_ROW_FOLDED | MP_ROW_OVERFLOW);
}

/** mp_row_has_location - whether a row is a callsite's or a stack's */
static inline bool mp_row_has_location(const struct mp_row *row)
{
	return row->kind == MP_ROW_SITE || row->kind == MP_ROW_STACK;
}

#endif
