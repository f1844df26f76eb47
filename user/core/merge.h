/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merge: from events as they come to a profile
 */
#ifndef MP_MERGE_H
#define MP_MERGE_H

#include "heap.h"
#include "names.h"
#include "order.h"
#include "profile.h"
#include "spaces.h"
#include "stacks.h"
#include "syscalls.h"

/* More than a machine maps; what comes after has no name. */
#define MP_MERGE_FILES	(1U << 17)

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

/* What the engine's numbers are called: beside its processes and its sites. */
struct mp_merge_process {
	char comm[MP_EVENT_COMM_SIZE];
	int nr_threads;			/* besides the first, that were heard of */
};

struct mp_merge_site {
	uint32_t file;			/* MP_NAMES_NONE: in none */
	uint64_t address, offset;
};

/**
 * struct mp_merge - all of it; set up by mp_merge_init()
 * @heap: the engine
 * @order: before it
 * @stacks: of events
 * @names: of files
 * @files: that were mapped
 */
struct mp_merge {
	struct mp_heap heap;
	struct mp_order order;
	struct mp_stacks stacks;
	struct mp_names names;
	struct mp_spaces spaces;
	struct mp_syscalls syscalls;
	struct mp_cgroup_names cgroups;
	struct mp_merge_file *files;
	size_t nr_files, max_files;
	struct mp_map by_file;
	uint64_t nr_refused;		/* files beyond MP_MERGE_FILES */
	struct mp_merge_process *processes;
	size_t nr_processes;
	struct mp_merge_site *sites;
	size_t nr_sites, max_sites;
};

void mp_merge_init(struct mp_merge *merge);
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

/** mp_merge_add - an event came. Return: 0, or -ENOMEM */
static inline int mp_merge_add(struct mp_merge *merge,
			       const struct mp_event *event)
{
	return mp_order_add(&merge->order, event);
}

/**
 * mp_merge_profile - rows of what was merged so far
 * @profile: rows, counters and names are added
 *
 * Return: 0, or -ENOMEM.
 */
int mp_merge_profile(struct mp_merge *merge, struct mp_profile *profile);

#endif
