// SPDX-License-Identifier: GPL-2.0-only
/*
 * metric-help: says what each column means
 *
 * In groups, those that most people read first. It writes to standard output; main()
 * reports errors.
 */
#include "metric-help.h"
#include "metric.h"

#include <stdio.h>

/* The largest group, and the number that ends each */
#define NR_MEMBERS	16
#define END		MP_NR_METRICS

static const struct group {
	const char *title;
	unsigned char metrics[NR_MEMBERS];
} groups[] = {
	{ "memory of a process, as the kernel counts it (default without allocations; --view growth)",
	  { MP_RESIDENT, MP_RESIDENT_DELTA, MP_RESIDENT_ANON, MP_RESIDENT_FILE, MP_RESIDENT_SHMEM,
	    MP_SWAPPED, MP_PEAK_RESIDENT, MP_PROPORTIONAL, END } },
	{ "allocations (default where they are followed; --view alloc, age)",
	  { MP_INUSE_SPACE, MP_PEAK_SPACE, MP_AT_PEAK, MP_AT_EXIT, MP_ALLOC_OBJECTS, MP_ALLOC_SPACE,
	    MP_FREE_OBJECTS, MP_INUSE_OBJECTS, MP_OLD_SPACE, MP_INUSE_DELTA, MP_TEMPORARY_OBJECTS,
	    MP_FAILED_ALLOCS, MP_UNKNOWN_FREES, MP_ALLOC_SAMPLES, END } },
	{ "growth of the address space",
	  { MP_GROWTH, MP_GROWTH_PEAK, MP_RELEASED, MP_BRK_UP, MP_BRK_DOWN, MP_MMAP_UP,
	    MP_MMAP_DOWN, MP_ADVISED, MP_GROWTH_CALLS, END } },
	{ "page faults",
	  { MP_TOUCHED, MP_FAULTS, MP_MINOR_FAULTS, MP_MAJOR_FAULTS, MP_INSIDE_FAULTS,
	    MP_BLOCK_FAULTS, MP_OTHER_FAULTS, MP_MINOR_SAMPLES, MP_MAJOR_SAMPLES, END } },
	{ "parts of RSS (--view rss)",
	  { MP_LIVE_RESIDENT, MP_HELD, MP_HEAP_RESIDENT, MP_MALLOC_USED, MP_MALLOC_FREE,
	    MP_MALLOC_TRIM, MP_MALLOC_UNREAD, MP_FREED_RESIDENT, MP_FREED_PINNED,
	    MP_STACKS, MP_FILE_MAPPED, MP_SHMEM_MAPPED, MP_SAMPLER_RESIDENT, MP_UNATTRIBUTED,
	    END } },
	{ "pages of living blocks (--view resident)",
	  { MP_BLOCK_RESIDENT, MP_BLOCK_SWAPPED, MP_BLOCK_UNTOUCHED, MP_COLD, MP_BLOCK_HUGE,
	    MP_NODE_0, END } },
	{ "fragmentation (--view fragmentation)",
	  { MP_BLAME, MP_PINNED, MP_FILL_5, MP_FILL_10, MP_FILL_25, MP_FILL_50, MP_FILL_75,
	    MP_FILL_100, MP_HELD_PAGES, MP_HELD_TOP, MP_HELD_ARENA, MP_HELD_EMPTY, END } },
	{ "cgroups, as the kernel counts them (--by cgroup)",
	  { MP_CGROUP_CURRENT, MP_CGROUP_PEAK, MP_CGROUP_ANON, MP_CGROUP_FILE, MP_CGROUP_KERNEL,
	    MP_CGROUP_REST, END } },
	{ "blocks that a process has from its parent, by fork",
	  { MP_INHERITED_SPACE, MP_INHERITED_LIVE, MP_INHERITED_OBJECTS, MP_INHERITED_FREES,
	    END } },
};

void mp_metric_help_print(void)
{
	const struct mp_metric_info *info;
	size_t i, j;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		printf("%s%s:\n", i ? "\n" : "", groups[i].title);
		for (j = 0; groups[i].metrics[j] != END; j++) {
			info = &mp_metrics[groups[i].metrics[j]];
			printf("  %-12s %-21s %s\n", info->heading, info->key, info->description);
		}
	}
	puts("\nN1 to N7 (node_1_space to node_7_space) are the same as N0, of the other NUMA nodes.\n"
	     "--sort takes each of these metrics, by either name.");
}
