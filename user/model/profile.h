/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile: defines the result of a measurement, which reports and exports show
 *
 * A profile has rows of metrics for processes, cgroups, callsites or stacks. It
 * also has the data that explains these numbers: sampling periods, times, and
 * counters of lost events.
 */
#ifndef MP_PROFILE_H
#define MP_PROFILE_H

#include "containers.h"
#include "id-names.h"
#include "frames.h"
#include "build-id.h"
#include "metric.h"
#include "names.h"
#include "origin.h"
#include "series.h"
#include "symbols.h"
#include "timeline.h"

#include <linux/memprof.h>

/* Size of an escaped command name: each byte can become four bytes. */
#define MP_COMM_SIZE	(4 * MEMPROF_COMM_LEN)
#define MP_TARGETS_SIZE	512

/* Limit of warnings. A warning is a sentence for users, stored only once. */
#define MP_MAX_WARNINGS	16
#define MP_WARNING_SIZE	320

/* Flag in an id that memprof made up, because only the cgroup's path is known. */
#define MP_CGROUP_MADE_UP	(1ULL << 63)

/* Size of the buffer for "id:" and a 64-bit number. */
#define MP_CGROUP_ID_SIZE	24

enum mp_row_kind {
	MP_ROW_PROCESS,
	MP_ROW_CGROUP,
	MP_ROW_SITE,
	MP_ROW_STACK,
	MP_NR_ROW_KINDS,
};

/**
 * enum mp_row_flag - properties of a row
 * @MP_ROW_EXITED: the process exited; its levels are the last known ones
 * @MP_ROW_FOLDED: the sum of several exited processes
 * @MP_ROW_OVERFLOW: the sum of events that got no row because a table was full
 * @MP_ROW_MAPPED: its mappings were read: HEAP, STACKS, FILES and SHARED are
 *	valid
 * @MP_ROW_SPLIT: LIVE-RSS and HELD are valid
 * @MP_ROW_BOUND: LIVE-RSS is an upper bound and HELD a lower bound
 * @MP_ROW_ROLLED: the row of an ancestor cgroup includes this cgroup's values
 * @MP_ROW_NESTED: the kernel's values of an ancestor cgroup, such as CURRENT,
 *	include this cgroup's
 * @MP_ROW_LEFT: the process runs, but is no longer a target; its sizes are 0
 * @MP_ROW_REMOVED: the cgroup does not exist any more
 * @MP_ROW_HOST: in the place of a cgroup, all processes of a machine
 * @MP_ROW_EXECUTED: its program began while it was followed: none of its blocks is older
 * @MP_ROW_ATTACHED: it had run before its own library followed it, or is a child by fork:
 *	some of its blocks are older
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
	MP_ROW_LEFT	= 1 << 8,
	MP_ROW_REMOVED	= 1 << 9,
	MP_ROW_HOST	= 1 << 10,
	MP_ROW_EXECUTED	= 1 << 11,
	MP_ROW_ATTACHED	= 1 << 12,
};

/**
 * enum mp_location_scope - how much code the row of a callsite or stack stands for
 * @MP_SCOPE_ADDRESS: one address
 * @MP_SCOPE_LINE: a source line or, where it is not known, one address
 * @MP_SCOPE_FUNCTION: a function
 * @MP_SCOPE_SOURCE: all code of a source file
 * @MP_SCOPE_BINARY: a binary
 * @MP_SCOPE_ANY: all code
 */
enum mp_location_scope {
	MP_SCOPE_ADDRESS,
	MP_SCOPE_LINE,
	MP_SCOPE_FUNCTION,
	MP_SCOPE_SOURCE,
	MP_SCOPE_BINARY,
	MP_SCOPE_ANY,
};

/**
 * struct mp_location - a callsite: the return address of an allocator call
 * @binary: number in mp_profile.binaries, from 1; 0: code in no file
 * @func: enum memprof_func of the callsite's first call
 * @address: address in the process, if @binary is 0
 * @offset: offset in the binary's file
 * @histogram: number in mp_profile.histograms, from 1; 0: none
 * @stack: number in mp_profile.frames, from 1; 0: none. For a callsite, the
 *	stack of its first call
 * @level: index of the callsite's frame in @stack
 * @line: index of the callsite among the lines of that frame, if functions are
 *	inlined
 * @scope: how much code the row stands for
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
 * struct mp_row - metrics of a process, a cgroup, a callsite or a stack
 * @kind: whether the row is a process, cgroup, callsite or stack
 * @flags: enum mp_row_flag bits
 * @pid: of the process; 0 for a cgroup, a merged callsite, and folded or
 *	overflow rows
 * @only_pid: the process of a merged callsite or stack, if it is one; or 0
 * @nr_processes: for a cgroup the running processes; for a merged callsite or
 *	stack, or a folded row, the processes in it; 0 for a process
 * @cgroup: id of the cgroup, or of the process's cgroup
 * @host: number in mp_profile.hosts, from 1; 0: the only machine, or several
 * @start_ns: start time of the process, CLOCK_BOOTTIME. @pid and @start_ns
 *	together identify a process
 * @began_ns: the same of a process that ran before, where @start_ns is 0; 0: not known
 * @peak_before: highest RSS of such a process before it was followed, bytes; 0: not known
 * @exit_ns: time of the process's exit, CLOCK_MONOTONIC; 0 while it runs
 * @signal: the signal that ended it; 0: none, or not known
 * @comm: command name; mp_profile_add() makes it printable; empty for a cgroup
 * @location: code location, for a callsite or a stack
 * @keeper: for a callsite or a stack with freed blocks, the callsite that keeps most of their
 *	pages; valid if @kept is not 0
 * @kept: of MP_FREED_PINNED, bytes on pages that @keeper keeps
 * @value: values by enum mp_metric, in the metric's unit
 */
struct mp_row {
	enum mp_row_kind kind;
	unsigned int flags;
	uint32_t pid;
	uint32_t only_pid;
	uint32_t nr_processes;
	uint32_t host;
	uint32_t signal;
	uint64_t cgroup;
	uint64_t start_ns;
	uint64_t began_ns;
	uint64_t peak_before;
	uint64_t exit_ns;
	char comm[MP_COMM_SIZE];
	struct mp_location location;
	struct mp_location keeper;
	uint64_t kept;
	uint64_t value[MP_NR_METRICS];
};

struct mp_counter {
	char name[MEMPROF_NAME_LEN];
	uint64_t value;
};

/**
 * struct mp_binary - a file that contains callsites
 * @inode: inode number; 0 if the build-id identifies the file
 * @dev: device of its file system, as in struct stat
 * @build_id: build-id
 * @build_id_size: bytes of @build_id; 0: not known
 * @pid: a process with a callsite in this file; or 0
 * @path: path in the mount namespace of the first process that mapped the file; can
 *	contain any byte
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
 * struct mp_histogram - histograms of a callsite, with the bins of struct
 * memprof_site
 * @sizes: number of allocations by size
 * @lifetimes: number of freed blocks by age
 */
struct mp_histogram {
	uint64_t sizes[MEMPROF_HISTOGRAM];
	uint64_t lifetimes[MEMPROF_HISTOGRAM];
};

/* As MEMPROF_PACE_FACTOR and MEMPROF_PACE_BYTES. */
#define MP_PACE_FACTOR	64
#define MP_PACE_BYTES	(4 << 20)

/**
 * struct mp_alloc_meta - how allocations are traced; all 0 if they are not
 * @rate: mean bytes between two samples; 1: every allocation
 * @pace: samples a second that a thread takes at most, by samples that are farther apart;
 *	0: any number
 * @nr_probes: number of probes
 * @nr_binaries: number of binaries with probes
 * @nr_samplers: processes whose allocations come from a sampler inside them
 * @nr_unsampled: target processes that could not be given a sampler, or not in time
 * @nr_brief: programs that ended before they could be given a sampler
 * @rescan_errno: 0: the kernel reports new mappings. Else the errno with which it
 *	refused; targets are then searched for new binaries once a second
 */
struct mp_alloc_meta {
	uint64_t rate;
	uint32_t pace;
	uint32_t nr_probes;
	uint32_t nr_binaries;
	uint32_t nr_samplers;
	uint32_t nr_unsampled;
	uint32_t nr_brief;
	uint32_t rescan_errno;
};

/**
 * enum mp_source - the source of the numbers
 * @MP_SOURCE_AUTO: not chosen yet; in a profile read from a file: not known
 * @MP_SOURCE_KMOD: the kernel module
 * @MP_SOURCE_PERF: perf events
 * @MP_SOURCE_SMAPS: sizes in /proc
 * @MP_SOURCE_PRELOAD: the sampler library in the process
 */
enum mp_source {
	MP_SOURCE_AUTO,
	MP_SOURCE_KMOD,
	MP_SOURCE_PERF,
	MP_SOURCE_SMAPS,
	MP_SOURCE_PRELOAD,
	MP_NR_SOURCES,
};

/** mp_source_name - name of a source in options and in JSON */
const char *mp_source_name(enum mp_source source);

/**
 * enum mp_cold_way - what tells which pages are referenced
 * @MP_COLD_NONE: nothing
 * @MP_COLD_DAMON: DAMON, which estimates
 * @MP_COLD_PAGE_IDLE: page_idle, which knows each page
 */
enum mp_cold_way {
	MP_COLD_NONE,
	MP_COLD_DAMON,
	MP_COLD_PAGE_IDLE,
};

/**
 * struct mp_cold_meta - how COLD was found; all zero: it was not asked for
 * @way: enum mp_cold_way
 * @least_ns: time without a reference after which a page is cold
 * @spent_ns: time for which pages were watched
 * @cpu_ns: CPU time of what watched; 0: not known
 * @tenth_ns: age that the coldest tenth of the watched bytes has at least
 * @nr_processes: processes that were watched
 */
struct mp_cold_meta {
	enum mp_cold_way way;
	uint64_t least_ns, spent_ns, cpu_ns, tenth_ns;
	uint64_t nr_processes;
};

/**
 * struct mp_meta - state of the session at the time of the profile
 * @status: from the kernel; times are CLOCK_MONOTONIC, now_ns is the time of
 *	the snapshot
 * @source: source of the numbers
 * @alloc: how allocations are traced; set by the program that runs the session
 * @page_size: bytes that each fault adds to TOUCHED
 * @kernel_start, @kernel_end: range of the kernel's code when the frames were
 *	recorded; 0: the running kernel
 * @targets: printable list of the targets
 * @cold: how COLD was found, in a report that has it
 * @origin: machine, command and date, as far as they are known
 */
struct mp_meta {
	struct memprof_status status;
	enum mp_source source;
	struct mp_alloc_meta alloc;
	uint32_t page_size;
	uint64_t kernel_start, kernel_end;
	char targets[MP_TARGETS_SIZE];
	struct mp_cold_meta cold;
	struct mp_origin origin;
};

/**
 * struct mp_profile - rows and their meta data; all zero means empty
 * @rows: in the order of the last sort
 * @counters: numbers of skipped, dropped or less exact events
 * @names: paths of the cgroups that rows refer to
 * @containers: what runtimes say of the containers of these cgroups
 * @hosts: names of machines, if the profile is the sum of several
 * @titles: command lines of processes, by process id, as far as they are known
 * @binaries: binaries that contain callsites
 * @histograms: of callsites
 * @frames: frames and stacks
 * @symbols: names of frames, if they were looked up
 * @warnings: reasons for incomplete numbers, printable
 * @series: values of all targets over time; may be empty
 * @timeline: whose values these were; may be empty, and is in no copy of a profile
 */
struct mp_profile {
	struct mp_meta meta;
	struct mp_row *rows;
	size_t nr_rows;
	size_t max_rows;
	struct mp_counter *counters;
	size_t nr_counters;
	struct mp_id_names names;
	struct mp_containers containers;
	struct mp_names hosts;
	struct mp_id_names titles;
	struct mp_binary *binaries;
	size_t nr_binaries;
	struct mp_histogram *histograms;
	size_t nr_histograms;
	struct mp_frames frames;
	struct mp_symbols symbols;
	char (*warnings)[MP_WARNING_SIZE];
	size_t nr_warnings;
	struct mp_series series[MP_NR_SERIES];
	struct mp_timeline timeline;
};

/**
 * struct mp_total - sum of the rows of one kind
 * @nr_rows: number of rows
 * @nr_named: rows that stand for one process or cgroup
 * @nr_exited: rows that stand for one exited process
 * @nr_processes: sum of mp_row.nr_processes
 * @value: by enum mp_metric; 0 for metrics of nature MP_PEAK
 */
struct mp_total {
	size_t nr_rows;
	size_t nr_named;
	size_t nr_exited;
	uint64_t nr_processes;
	uint64_t value[MP_NR_METRICS];
};

/** mp_profile_free - free all memory; the object is empty afterwards */
void mp_profile_free(struct mp_profile *profile);

/**
 * mp_profile_reserve - reserve memory for rows
 * @nr: number of rows that will be added; a hint
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_reserve(struct mp_profile *profile, size_t nr);

/**
 * mp_profile_add - add a row
 * @row: copied; its command name is made printable
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_add(struct mp_profile *profile, const struct mp_row *row);

/**
 * mp_profile_add_counter - add a value to a counter, which is added if it is new
 * @name: name of the counter; cut to MEMPROF_NAME_LEN - 1 bytes and made printable
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_add_counter(struct mp_profile *profile, const char *name,
			   uint64_t value);

/**
 * mp_profile_warn - add a warning
 * @text: the warning; made printable
 *
 * A repeated warning, and one beyond MP_MAX_WARNINGS, is dropped.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_warn(struct mp_profile *profile, const char *text);

/**
 * mp_profile_cgroup - name of a cgroup for users
 * @id: id of the cgroup
 * @buf: MP_CGROUP_ID_SIZE bytes, used if the path is not known
 *
 * Return: the path, or "id:N" in @buf; "" for id 0.
 */
const char *mp_profile_cgroup(const struct mp_profile *profile, uint64_t id,
			      char *buf);

/** mp_profile_host - name of the machine of a row; "" if it is not known, or several */
const char *mp_profile_host(const struct mp_profile *profile, const struct mp_row *row);

/**
 * mp_profile_merge - merge the rows of the same process or cgroup
 *
 * A process that called exec has a row for each program that it ran. The merged
 * row has the name, cgroup and levels of the newest row, the sums of the flows,
 * and the highest peaks. The order of rows is undefined afterwards.
 */
void mp_profile_merge(struct mp_profile *profile);

/** mp_profile_drop - remove the rows from index @from on for which @is_told is true */
void mp_profile_drop(struct mp_profile *profile, size_t from,
		     bool (*is_told)(const struct mp_row *row));

/** mp_profile_has - whether a row has a value of @metric that is not 0 */
bool mp_profile_has(const struct mp_profile *profile, enum mp_metric metric);

/** mp_profile_runs - whether one of the processes has not exited */
bool mp_profile_runs(const struct mp_profile *profile);

/** mp_profile_has_pages - whether the pages of any process were looked at */
bool mp_profile_has_pages(const struct mp_profile *profile);

/** mp_profile_counter - value of a counter; 0 if the profile does not have it */
uint64_t mp_profile_counter(const struct mp_profile *profile, const char *name);

/** mp_profile_lost - share of the events that were lost, 0 to 1 */
double mp_profile_lost(const struct mp_profile *profile);

/** mp_row_is_idle - whether a process that runs did nothing, and has no known size */
bool mp_row_is_idle(const struct mp_row *row);

/**
 * mp_profile_sort - sort rows, highest value first
 * @metric: metric to sort by. Rows with equal values are sorted by PEAK,
 *	ALLOC'D and TOUCHED, then by kind, pid and cgroup id
 *
 * For a level, rows of running processes come before rows of exited ones.
 */
void mp_profile_sort(struct mp_profile *profile, enum mp_metric metric);

/**
 * mp_profile_only_process - the row of the process, if there is only one
 *
 * Exited processes that are one row together are several. Return: the row, or NULL.
 */
const struct mp_row *mp_profile_only_process(const struct mp_profile *profile);

/**
 * mp_profile_total - add up the rows of a kind
 * @kind: kind of rows
 * @total: out
 */
void mp_profile_total(const struct mp_profile *profile, enum mp_row_kind kind,
		      struct mp_total *total);

/**
 * mp_alloc_distance - the mean bytes between the samples on which values rest
 * @alloc: how allocations are traced
 * @value: the metrics of a row or of a total
 *
 * Where samples have a pace, those of threads that allocate fast are farther apart, and the
 * mean of all weighs them by their bytes, so it is rather too long than too short.
 *
 * Return: bytes, for mp_metric_error().
 */
uint64_t mp_alloc_distance(const struct mp_alloc_meta *alloc, const uint64_t *value);

/**
 * mp_alloc_spread - by how much the distance of samples grows in the error of ALLOC'D and ALLOCS
 * @value: totals of the whole recording
 * @processes: number of those that were sampled
 *
 * The first samples of a process are near each other. Where its pace makes later ones rarer, the
 * late ones stand for most of the bytes: the error is theirs, however many early ones there are.
 *
 * Return: a factor of 1 or more for the result of mp_alloc_distance().
 */
double mp_alloc_spread(const struct mp_alloc_meta *alloc, const uint64_t *value,
		       size_t processes);

/**
 * mp_profile_distance - mean bytes that a sample stands for, of those that a metric is of
 * @profile: its callsites have a distance between samples each
 * @metric: bytes in blocks
 * @value: of all. If callsites have less than half of it, the mean of all samples is used
 * @sampled: out: of @value, bytes in blocks that are samples of others. Larger blocks count for
 *	themselves
 */
uint64_t mp_profile_distance(const struct mp_profile *profile, enum mp_metric metric,
			     const uint64_t *value, uint64_t *sampled);

/** mp_profile_finest - MP_ROW_STACK if the profile has stacks, else MP_ROW_SITE */
enum mp_row_kind mp_profile_finest(const struct mp_profile *profile);

/** mp_row_has_any - whether one of @nr metrics is not 0 */
bool mp_row_has_any(const struct mp_row *row, const enum mp_metric *metrics, size_t nr);

/** mp_row_derive - compute the metrics that follow from other metrics of the row */
void mp_row_derive(struct mp_row *row, uint32_t page_size);

/** mp_row_is_sum - whether a row is a sum, and not one process, cgroup or callsite */
static inline bool mp_row_is_sum(const struct mp_row *row)
{
	return row->flags & (MP_ROW_FOLDED | MP_ROW_OVERFLOW);
}

/**
 * mp_row_raise_peak - of a sum of rows: PEAK is not below what all had at one moment
 *
 * The peaks of the rows may have been at different times, so their highest is a lower bound.
 */
void mp_row_raise_peak(struct mp_row *row);

/** mp_status_end_ns - when what a session saw ended: at its stop, or now; CLOCK_MONOTONIC */
static inline uint64_t mp_status_end_ns(const struct memprof_status *status)
{
	return status->state == MEMPROF_STATE_STOPPED ? status->stop_ns : status->now_ns;
}

/** mp_status_seen_ns - for how long a session has counted: from its start or the last reset on */
static inline uint64_t mp_status_seen_ns(const struct memprof_status *status)
{
	const uint64_t end_ns = mp_status_end_ns(status);
	const uint64_t begin_ns = status->reset_ns > status->start_ns ? status->reset_ns :
								     status->start_ns;

	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/** mp_row_is_older - whether a process may have blocks from before it was followed */
static inline bool mp_row_is_older(const struct mp_row *row, const struct mp_meta *meta)
{
	return row->flags & MP_ROW_ATTACHED ||
	       (row->start_ns < meta->status.start_ns && !(row->flags & MP_ROW_EXECUTED));
}

/** mp_row_has_location - whether a row is a callsite or a stack */
static inline bool mp_row_has_location(const struct mp_row *row)
{
	return row->kind == MP_ROW_SITE || row->kind == MP_ROW_STACK;
}

#endif
