/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merge: from events as they come to a profile
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

/* More than a machine maps; what comes after has no name. */
#define MP_MERGE_FILES	((1U << 16) - 2)

/**
 * struct mp_merge_file - a file that was mapped
 * @path: number in the names
 * @dev: of its file system, and
 * @inode: number; 0 where the build-id stands for both
 * @build_id: and
 * @build_id_size: 0 where it is not known
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
 * struct mp_merge_ops - what the engine asks of those who can read binaries
 * @unwind: find the frames of a dump, innermost first, MP_STACKS_DEPTH at most,
 *	the last one a mark of stacks.h: how many. NULL: dumps are of no use
 * @is_wrapper: whether code is an allocator's, or one's that hands on what it
 *	gets from one, so that the callsite is further out. NULL: none is
 * @keeps_frame: whether code that a call returns to keeps its caller's frame
 *	pointer where a chain looks for it: else the chain leads to its caller's
 *	caller. NULL: all does
 * @end: an address space is gone, and its number may become another's; optional
 * @context: for them
 */
struct mp_merge_ops {
	uint32_t (*unwind)(void *context, struct mp_merge *merge,
			   uint32_t process, const struct mp_dump *dump,
			   uint64_t *frames);
	bool (*is_wrapper)(void *context, const struct mp_merge *merge,
			   uint32_t process, uint32_t file, uint64_t offset);
	bool (*keeps_frame)(void *context, const struct mp_merge *merge,
			    uint32_t process, uint32_t file, uint64_t offset);
	void (*end)(void *context, uint32_t process);
	void *context;
};

/**
 * struct mp_merge - all of it; set up by mp_merge_init()
 * @heap: the engine
 * @order: before it
 * @stacks: of events: addresses
 * @locations: of the engine's sites: see merge-place.h
 * @names: of files
 * @files: that were mapped
 * @ops: may be empty
 * @series: over time; MP_SERIES_RESIDENT is the owner's to put
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
	struct mp_cgroup_names cgroups;
	struct mp_merge_file *files;
	size_t nr_files, max_files;
	struct mp_map by_file;
	uint64_t nr_refused;		/* files beyond MP_MERGE_FILES */
	struct mp_merge_ops ops;
	struct mp_series series[MP_NR_SERIES];
	size_t swept;			/* stacks that were left then */
};

/**
 * struct mp_merge_options - how to merge; all zero is the usual
 * @ops: may be empty
 * @bins: keep histograms of sizes and lifetimes
 * @max_exited: exited processes that keep rows of their own; 0: the default
 */
struct mp_merge_options {
	struct mp_merge_ops ops;
	bool bins;
	size_t max_exited;
};

/** mp_merge_init - get ready. @options may be NULL */
void mp_merge_init(struct mp_merge *merge,
		   const struct mp_merge_options *options);
void mp_merge_free(struct mp_merge *merge);

/**
 * mp_merge_file - the number of a file, a new one if it is not known
 * @path: of the file
 * @file: all but the path
 *
 * @number: out; MP_NAMES_NONE where there are too many
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_file(struct mp_merge *merge, const char *path,
		  const struct mp_merge_file *file, uint32_t *number);

/**
 * mp_merge_binary - what is known of a file
 * @number: of the file
 * @process: one that has it mapped
 * @binary: out
 */
void mp_merge_binary(const struct mp_merge *merge, uint32_t number,
		     uint32_t process, struct mp_binary *binary);

/**
 * mp_merge_stack - the number of a stack, for struct mp_event
 * @frames: addresses, innermost first, and marks of stacks.h
 *
 * Return: the number, or MP_STACKS_NONE without memory.
 */
uint32_t mp_merge_stack(struct mp_merge *merge, const uint64_t *frames,
			uint32_t nr);

/** mp_merge_nr_stacks - how many different stacks are kept now */
size_t mp_merge_nr_stacks(const struct mp_merge *merge);

/**
 * mp_merge_dump - keep registers and a piece of stack, to be unwound in its turn
 * @is_trampoline: whether the kernel put an address in place of dump->caller while
 *	the call lasts; such words become dump->caller again
 *
 * Return: the number for mp_event.stack, with MP_EVENT_DUMP; MP_EVENT_NO_STACK
 * where dumps cannot be unwound, or there is no room.
 */
uint32_t mp_merge_dump(struct mp_merge *merge, const struct mp_dump *dump,
		       bool (*is_trampoline)(uint64_t address));

/** mp_merge_cgroup - the path of a cgroup. Return: 0, or -ENOMEM */
int mp_merge_cgroup(struct mp_merge *merge, uint64_t id, const char *path);

/** mp_merge_resident - bytes that all targets together hold at a moment */
void mp_merge_resident(struct mp_merge *merge, uint64_t time_ns,
		       uint64_t bytes);

/** mp_merge_add - an event came. Return: 0, or -ENOMEM */
static inline int mp_merge_add(struct mp_merge *merge,
			       const struct mp_event *event)
{
	return mp_order_add(&merge->order, event);
}

/** mp_merge_flush - no more events come: take in those that wait. Return: as below */
int mp_merge_flush(struct mp_merge *merge);

/**
 * mp_merge_round - all CPUs' events were added, up to now
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_round(struct mp_merge *merge);

/**
 * mp_merge_profile - rows of what was merged so far
 * @profile: rows, counters and names are added
 * @stacks: rows of stacks, too, and the frames that callsites are in
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_profile(struct mp_merge *merge, struct mp_profile *profile,
		     bool stacks);

#endif
