/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merge: turns a stream of events into a profile
 */
#ifndef MP_MERGE_H
#define MP_MERGE_H

#include "dumps.h"
#include "heap.h"
#include "names.h"
#include "order.h"
#include "profile.h"
#include "series.h"
#include "spaces.h"
#include "stacks.h"
#include "syscalls.h"
#include "timeline.h"

/* Limit of files, more than a machine maps. Further files get no name. */
#define MP_MERGE_FILES	((1U << 16) - 2)

/**
 * struct mp_merge_file - a mapped file
 * @path: number of its path in the names
 * @dev: device of its file system
 * @inode: inode number; @dev and @inode are 0 if the build-id identifies the
 *	file
 * @build_id: build-id
 * @build_id_size: bytes of @build_id; 0: not known
 */
struct mp_merge_file {
	uint32_t path;
	uint64_t dev;
	uint64_t inode;
	uint8_t build_id[MP_BUILD_ID_SIZE];
	uint8_t build_id_size;
};

struct mp_merge;

/**
 * enum mp_merge_code - what code is, for the choice of a callsite
 * @MP_MERGE_CODE_PROGRAM: a function that can be a callsite
 * @MP_MERGE_CODE_WRAPPER: an allocator, or a wrapper of an allocator; the callsite is one
 *	of its callers
 * @MP_MERGE_CODE_NAMELESS: a function without a name: a part of the wrapper of the same
 *	file that calls it, else a function that can be a callsite
 */
enum mp_merge_code {
	MP_MERGE_CODE_PROGRAM,
	MP_MERGE_CODE_WRAPPER,
	MP_MERGE_CODE_NAMELESS,
};

/**
 * struct mp_merge_ops - callbacks that need to read binaries
 * @unwind: finds the frames of a dump, innermost first, at most MP_STACKS_DEPTH,
 *	with a mark of stacks.h as the last one. Returns the number of frames. NULL:
 *	dumps are not stored
 * @kind_of: what the code at a return address is. NULL: assume the program's
 * @keeps_frame: whether the code at a return address saves the caller's frame
 *	pointer. If not, a frame-pointer chain skips the caller. NULL: assume true
 * @end: an address space ended, and its number may be used again; optional
 * @context: passed to each callback
 */
struct mp_merge_ops {
	uint32_t (*unwind)(void *context, struct mp_merge *merge,
			   uint32_t process, const struct mp_dump *dump,
			   uint64_t *frames);
	enum mp_merge_code (*kind_of)(void *context, const struct mp_merge *merge,
				      uint32_t process, uint32_t file, uint64_t offset);
	bool (*keeps_frame)(void *context, const struct mp_merge *merge,
			    uint32_t process, uint32_t file, uint64_t offset);
	void (*end)(void *context, uint32_t process);
	void *context;
};

/**
 * struct mp_merge - the complete engine; initialised by mp_merge_init()
 * @heap: sums
 * @order: queue that sorts events for @heap
 * @stacks: stacks of addresses, of events
 * @locations: stacks of code locations, see code-location.h
 * @names: paths of @files
 * @files: mapped files
 * @ops: callbacks; each may be NULL
 * @series: values over time; the caller sets MP_SERIES_RESIDENT
 * @has_timeline: @timeline is kept
 * @timeline: who had how much over time; the caller adds RSS
 * @event_ns: time of the latest event
 * @peak_ns: time at which the live bytes of all together were highest
 */
struct mp_merge {
	struct mp_heap heap;
	struct mp_order order;
	struct mp_stacks stacks;
	struct mp_stacks locations;
	struct mp_dumps dumps;
	struct mp_names names;
	struct mp_spaces spaces;
	struct mp_syscalls syscalls;
	struct mp_id_names cgroups;
	struct mp_merge_file *files;
	size_t nr_files, max_files;
	struct mp_map by_file;
	uint64_t nr_refused;		/* files beyond MP_MERGE_FILES */
	uint64_t other_growth;		/* bytes, without a known call */
	uint64_t nr_of_sampler;		/* changes of size by libmemprof itself */
	struct mp_merge_ops ops;
	struct mp_series series[MP_NR_SERIES];
	bool has_timeline;
	struct mp_timeline timeline;
	uint64_t event_ns, peak_ns;
	size_t swept;			/* number of stacks after the latest sweep */
};

/**
 * struct mp_merge_options - options of the engine; all zero is the default
 * @ops: callbacks; each may be NULL
 * @bins: keep histograms of sizes and lifetimes
 * @timeline: keep who had how much over time
 * @max_exited: limit of exited processes that have their own rows; 0: the default
 */
struct mp_merge_options {
	struct mp_merge_ops ops;
	bool bins;
	bool timeline;
	size_t max_exited;
};

/** mp_merge_init - initialise the engine; @options may be NULL */
void mp_merge_init(struct mp_merge *merge,
		   const struct mp_merge_options *options);
void mp_merge_free(struct mp_merge *merge);

/**
 * mp_merge_file - find or add a file
 * @path: path of the file
 * @file: the file; its @path is not used
 * @number: out: number of the file; MP_NAMES_NONE if there are too many files
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_file(struct mp_merge *merge, const char *path,
		  const struct mp_merge_file *file, uint32_t *number);

/**
 * mp_merge_binary - get the identity of a file
 * @number: number of the file
 * @process: number of a process that maps it
 * @binary: out
 */
void mp_merge_binary(const struct mp_merge *merge, uint32_t number,
		     uint32_t process, struct mp_binary *binary);

/**
 * mp_merge_stack - find or add a stack for struct mp_event
 * @frames: addresses, innermost first, and marks of stacks.h
 * @nr: number of @frames
 *
 * Return: its number, or MP_STACKS_NONE if memory is short.
 */
uint32_t mp_merge_stack(struct mp_merge *merge, const uint64_t *frames,
			uint32_t nr);

/** mp_merge_nr_stacks - number of distinct stacks in use */
size_t mp_merge_nr_stacks(const struct mp_merge *merge);

/**
 * mp_merge_dump - store registers and stack memory for later unwinding
 * @is_trampoline: whether an address is the kernel's return trampoline. For a probe
 *	on a return, the kernel overwrites the return address with this address.
 *	It is replaced by dump->caller
 *
 * Return: the value for mp_event.stack: the dump's number with MP_EVENT_DUMP, or
 * MP_EVENT_NO_STACK if dumps cannot be unwound or if there is no room.
 */
uint32_t mp_merge_dump(struct mp_merge *merge, const struct mp_dump *dump,
		       bool (*is_trampoline)(uint64_t address));

/** mp_merge_cgroup - set the path of a cgroup. Return: 0, or -ENOMEM */
int mp_merge_cgroup(struct mp_merge *merge, uint64_t id, const char *path);

/** mp_merge_resident - report the RSS of all targets together, in bytes */
void mp_merge_resident(struct mp_merge *merge, uint64_t time_ns,
		       uint64_t bytes);

/**
 * mp_merge_timeline_bytes - get the living bytes that are drawn now
 *
 * An estimate may be above that of the peak, which erred less: then it is drawn as high as that.
 */
uint64_t mp_merge_timeline_bytes(const struct mp_merge *merge);

/**
 * mp_merge_timeline_live - add a point of the live bytes, if it is due
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_timeline_live(struct mp_merge *merge, uint64_t time_ns);

/**
 * mp_merge_timeline_end - add the last point of the live bytes, and their peak
 * @time_ns: end of the recording, as far as it is known; no event is later than the last point
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_timeline_end(struct mp_merge *merge, uint64_t time_ns);

/**
 * mp_merge_timeline_resident - add the RSS of a process to a point
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_timeline_resident(struct mp_merge *merge, struct mp_timeline_point *point,
			       uint32_t pid, uint64_t bytes);

/** mp_merge_add - add an event. Return: 0, or -ENOMEM */
static inline int mp_merge_add(struct mp_merge *merge,
			       const struct mp_event *event)
{
	return mp_order_add(&merge->order, event);
}

/**
 * mp_merge_gone - report that a process has ended, with all its threads
 * @time_ns: time at which it had ended. If the process's row began later, its id was
 *	used again, and nothing happens
 *
 * This is for processes whose exit was not reported. All their events must be merged.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_gone(struct mp_merge *merge, uint32_t pid, uint64_t time_ns);

/** mp_merge_flush - merge all waiting events. Return: 0, or -ENOMEM */
int mp_merge_flush(struct mp_merge *merge);

/**
 * mp_merge_round - end a round: the events of all CPUs up to now were added
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_round(struct mp_merge *merge);

/**
 * mp_merge_profile - make rows of all merged events
 * @profile: rows, counters and names are added to it
 * @stacks: also make rows of stacks and the frames of callsites
 *
 * The profile takes the timeline. Apart from that, the engine does not change.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_profile(struct mp_merge *merge, struct mp_profile *profile,
		     bool stacks);

#endif
