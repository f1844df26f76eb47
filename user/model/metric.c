// SPDX-License-Identifier: GPL-2.0-only
/*
 * metric: the table of all metrics
 *
 * The table is constant. A look-up is a linear search.
 */
#include "metric.h"

#include <math.h>
#include <string.h>
#include <strings.h>

const struct mp_metric_info mp_metrics[MP_NR_METRICS] = {
	[MP_MINOR_FAULTS] = {
		"minor_faults", "MINFLT", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_MINOR, false,
		"page faults served without reading from a device",
	},
	[MP_MAJOR_FAULTS] = {
		"major_faults", "MAJFLT", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_MAJOR, false,
		"page faults that waited for a device",
	},
	[MP_TOUCHED] = {
		"touched_space", "TOUCHED", MP_UNIT_BYTES, MP_FLOW,
		MP_FROM_MINOR | MP_FROM_MAJOR, false,
		"all faults, each taken as one page",
	},
	[MP_GROWTH] = {
		"growth_space", "GROWTH", MP_UNIT_BYTES, MP_FLOW, 0, true,
		"by how much the address space grew: BRK+ - BRK- + MMAP+ - MMAP-, below 0 when it shrank; memory without access (PROT_NONE) does not count. What a process gives back by ending is in rows of cgroups, not in its own",
	},
	[MP_GROWTH_PEAK] = {
		"growth_peak_space", "GROWTH-PEAK", MP_UNIT_BYTES, MP_PEAK, 0,
		false, "highest GROWTH since the start or the last reset",
	},
	[MP_BRK_UP] = {
		"brk_up_space", "BRK+", MP_UNIT_BYTES, MP_FLOW, 0, false,
		"bytes by which brk enlarged the heap",
	},
	[MP_BRK_DOWN] = {
		"brk_down_space", "BRK-", MP_UNIT_BYTES, MP_FLOW, 0, false,
		"bytes by which brk shrank it",
	},
	[MP_MMAP_UP] = {
		"mmap_up_space", "MMAP+", MP_UNIT_BYTES, MP_FLOW, 0, false,
		"bytes that mmap, mremap, mprotect, shmat and growing stacks added",
	},
	[MP_MMAP_DOWN] = {
		"mmap_down_space", "MMAP-", MP_UNIT_BYTES, MP_FLOW, 0, false,
		"bytes that munmap, mremap, mprotect, shmdt and mmap took away",
	},
	[MP_GROWTH_CALLS] = {
		"growth_calls", "GROWTH-CALLS", MP_UNIT_COUNT, MP_FLOW, 0,
		false, "calls of brk, mmap, munmap, mremap, mprotect, shmat, shmdt that changed a size",
	},
	[MP_RESIDENT] = {
		"resident_space", "RSS", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"resident memory now: ANON + FILE + SHMEM",
	},
	[MP_RESIDENT_ANON] = {
		"resident_anon", "ANON", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"resident private anonymous pages",
	},
	[MP_RESIDENT_FILE] = {
		"resident_file", "FILE", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"resident pages of mapped files",
	},
	[MP_RESIDENT_SHMEM] = {
		"resident_shmem", "SHMEM", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"resident pages of shared memory and tmpfs",
	},
	[MP_SWAPPED] = {
		"swapped_space", "SWAP", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"anonymous pages in swap; not part of RSS",
	},
	[MP_PEAK_RESIDENT] = {
		"peak_resident_space", "RSS-PEAK", MP_UNIT_BYTES, MP_PEAK, 0,
		false, "the kernel's own high-water mark of RSS",
	},
	[MP_MINOR_SAMPLES] = {
		"minor_samples", "MINSAMPLES", MP_UNIT_COUNT, MP_FLOW, 0, false,
		"minor faults that were sampled",
	},
	[MP_MAJOR_SAMPLES] = {
		"major_samples", "MAJSAMPLES", MP_UNIT_COUNT, MP_FLOW, 0, false,
		"major faults that were sampled",
	},
	[MP_ALLOC_OBJECTS] = {
		"alloc_objects", "ALLOCS", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_ALLOC, false, "successful allocations",
	},
	[MP_ALLOC_SPACE] = {
		"alloc_space", "ALLOC'D", MP_UNIT_BYTES, MP_FLOW,
		MP_FROM_ALLOC, false, "bytes that were asked for",
	},
	[MP_FREE_OBJECTS] = {
		"free_objects", "FREES", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_ALLOC, false, "blocks of ALLOCS that were freed",
	},
	[MP_INUSE_OBJECTS] = {
		"inuse_objects", "BLOCKS", MP_UNIT_COUNT, MP_LEVEL,
		MP_FROM_ALLOC, false, "blocks of ALLOCS that live now",
	},
	[MP_INUSE_SPACE] = {
		"inuse_space", "LIVE", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false, "bytes of the blocks that live now, as they were asked for",
	},
	[MP_PEAK_SPACE] = {
		"peak_space", "PEAK", MP_UNIT_BYTES, MP_PEAK, MP_FROM_ALLOC,
		false, "highest LIVE since the start or the last reset",
	},
	[MP_FAILED_ALLOCS] = {
		"failed_allocs", "FAILED", MP_UNIT_COUNT, MP_FLOW, 0, false,
		"allocations that returned NULL, each of them",
	},
	[MP_TEMPORARY_OBJECTS] = {
		"temporary_objects", "TEMP", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_ALLOC, false,
		"freed by their thread before it allocated again",
	},
	[MP_UNKNOWN_FREES] = {
		"unknown_frees", "UNKNOWN", MP_UNIT_COUNT, MP_FLOW, 0, false,
		"frees of blocks that are older than the session, or freed twice",
	},
	[MP_INHERITED_OBJECTS] = {
		"inherited_objects", "INH-BLOCKS", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_ALLOC, false,
		"blocks that lived in the parent at fork, not in BLOCKS",
	},
	[MP_INHERITED_SPACE] = {
		"inherited_space", "INHERITED", MP_UNIT_BYTES, MP_FLOW,
		MP_FROM_ALLOC, false, "their bytes, not in LIVE",
	},
	[MP_INHERITED_FREES] = {
		"inherited_frees", "INH-FREES", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_ALLOC, false, "of these, freed by the child",
	},
	[MP_ALLOC_SAMPLES] = {
		"alloc_samples", "ALLOCSAMPLES", MP_UNIT_COUNT, MP_FLOW, 0,
		false, "allocations that were followed",
	},
	[MP_FAULTS] = {
		"faults", "FAULTS", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_MINOR | MP_FROM_MAJOR, false,
		"MINFLT + MAJFLT; of a callsite: INSIDEFLT + BLOCKFLT + OTHERFLT",
	},
	[MP_INSIDE_FAULTS] = {
		"inside_faults", "INSIDEFLT", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_MINOR | MP_FROM_MAJOR, false,
		"of a callsite: faults inside its allocator calls",
	},
	[MP_BLOCK_FAULTS] = {
		"block_faults", "BLOCKFLT", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_MINOR | MP_FROM_MAJOR, false,
		"of a callsite: faults elsewhere on its living blocks",
	},
	[MP_OTHER_FAULTS] = {
		"other_faults", "OTHERFLT", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_MINOR | MP_FROM_MAJOR, false,
		"of a place in code: faults on memory that no allocator gave out",
	},
	[MP_HEAP_RESIDENT] = {
		"allocator_space", "HEAP", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"resident in the allocator's mappings: LIVE-RSS + HELD",
	},
	[MP_LIVE_RESIDENT] = {
		"live_touched_space", "LIVE-RSS", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of HEAP, bytes of living blocks in present pages",
	},
	[MP_HELD] = {
		"allocator_held_space", "HELD", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of HEAP, what no living block uses: freed, never handed out, or allocated before the session",
	},
	[MP_STACKS] = {
		"stack_resident_space", "STACKS", MP_UNIT_BYTES, MP_LEVEL, 0,
		false, "resident stacks of threads",
	},
	[MP_FILE_MAPPED] = {
		"file_mapped_space", "FILES", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"resident in mappings of files, pages that were written and .bss included",
	},
	[MP_SHMEM_MAPPED] = {
		"shmem_mapped_space", "SHARED", MP_UNIT_BYTES, MP_LEVEL, 0,
		false, "resident in mappings of shared memory and tmpfs",
	},
	[MP_UNATTRIBUTED] = {
		"unattributed_space", "OTHER", MP_UNIT_BYTES, MP_LEVEL, 0, true,
		"RSS - HEAP - STACKS - FILES - SHARED",
	},
	[MP_PROPORTIONAL] = {
		"proportional_space", "PSS", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"RSS, but each page divided by the number of processes that map it",
	},
	[MP_CGROUP_CURRENT] = {
		"cgroup_current_space", "CURRENT", MP_UNIT_BYTES, MP_LEVEL, 0,
		false, "memory.current of a cgroup, those below it included",
	},
	[MP_CGROUP_PEAK] = {
		"cgroup_peak_space", "MEM-PEAK", MP_UNIT_BYTES, MP_PEAK, 0,
		false, "memory.peak of a cgroup",
	},
	[MP_CGROUP_ANON] = {
		"cgroup_anon_space", "CG-ANON", MP_UNIT_BYTES, MP_LEVEL, 0,
		false, "anon in memory.stat of a cgroup",
	},
	[MP_CGROUP_FILE] = {
		"cgroup_file_space", "CG-FILE", MP_UNIT_BYTES, MP_LEVEL, 0,
		false, "file in memory.stat of a cgroup: page cache, tmpfs",
	},
	[MP_CGROUP_KERNEL] = {
		"cgroup_kernel_space", "CG-KERNEL", MP_UNIT_BYTES, MP_LEVEL, 0,
		false, "kernel in memory.stat of a cgroup",
	},
	[MP_CGROUP_REST] = {
		"cgroup_rest_space", "REST", MP_UNIT_BYTES, MP_LEVEL, 0, true,
		"CURRENT - PSS of it and of those below it",
	},
	[MP_INHERITED_LIVE] = {
		"inherited_live_space", "INH-LIVE", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of INHERITED, bytes not freed yet: by the share of blocks, an estimate",
	},
	[MP_AT_PEAK] = {
		"at_peak_space", "AT-PEAK", MP_UNIT_BYTES, MP_FLOW,
		MP_FROM_ALLOC, false,
		"LIVE at the moment when the LIVE of all targets together was highest",
	},
	[MP_AT_EXIT] = {
		"at_exit_space", "AT-EXIT", MP_UNIT_BYTES, MP_FLOW,
		MP_FROM_ALLOC, false,
		"bytes that were not freed when their process exited",
	},
	[MP_RESIDENT_DELTA] = {
		"resident_delta_space", "DELTA", MP_UNIT_BYTES, MP_LEVEL, 0, true,
		"change of RSS since the start or the last reset; of a later process, all of its RSS",
	},
	[MP_OLD_SPACE] = {
		"old_space", "OLD", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of LIVE, bytes of blocks that lived already at half of the time",
	},
	[MP_BLOCK_RESIDENT] = {
		"block_resident_space", "RESIDENT", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of LIVE, bytes in pages that are present",
	},
	[MP_BLOCK_SWAPPED] = {
		"block_swapped_space", "SWAPPED", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of LIVE, bytes in swap",
	},
	[MP_BLOCK_UNTOUCHED] = {
		"block_untouched_space", "UNTOUCHED", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of LIVE, the rest: allocated, and never touched or given back",
	},
	[MP_BLOCK_HUGE] = {
		"block_huge_space", "HUGE", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of RESIDENT, bytes in huge pages",
	},
	[MP_BLAME] = {
		"blame_space", "BLAME", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"resident heap pages, each divided by the living blocks on it",
	},
	[MP_PINNED] = {
		"pinned_space", "PINNED", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of BLAME, what is not in living blocks: fragmentation",
	},
	[MP_HELD_PAGES] = {
		"held_page_space", "HELD-PAGES", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of HEAP, pages without a living block: HEAP - BLAME",
	},
	[MP_HELD_TOP] = {
		"held_top_space", "HELD-TOP", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of HELD-PAGES, in the break above its last block",
	},
	[MP_HELD_ARENA] = {
		"held_arena_space", "HELD-ARENA", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of HELD-PAGES, elsewhere in mappings with living blocks",
	},
	[MP_HELD_EMPTY] = {
		"held_empty_space", "HELD-EMPTY", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of HELD-PAGES, in mappings without a living block",
	},
	[MP_FILL_5] = {
		"blame_fill_5_space", "FILL-5", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of BLAME, pages that are at most 5 % full",
	},
	[MP_FILL_10] = {
		"blame_fill_10_space", "FILL-10", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of BLAME, pages that are 5 to 10 % full",
	},
	[MP_FILL_25] = {
		"blame_fill_25_space", "FILL-25", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of BLAME, pages that are 10 to 25 % full",
	},
	[MP_FILL_50] = {
		"blame_fill_50_space", "FILL-50", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of BLAME, pages that are 25 to 50 % full",
	},
	[MP_FILL_75] = {
		"blame_fill_75_space", "FILL-75", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of BLAME, pages that are 50 to 75 % full",
	},
	[MP_FILL_100] = {
		"blame_fill_100_space", "FILL-100", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of BLAME, pages that are 75 to 100 % full",
	},
	[MP_INUSE_DELTA] = {
		"inuse_delta_space", "LIVE-DELTA", MP_UNIT_BYTES, MP_FLOW,
		MP_FROM_ALLOC, true,
		"LIVE minus LIVE at the last look: top, report --since-last, a range of the history",
	},
	[MP_COLD] = {
		"cold_space", "COLD", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of RESIDENT, bytes in pages that nothing referenced for the seconds of report --cold",
	},
	[MP_NODE_0] = {
		"node_0_space", "N0", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of RESIDENT, bytes in pages of NUMA node 0, where there are several nodes",
	},
	[MP_NODE_1] = {
		"node_1_space", "N1", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of RESIDENT, bytes in pages of NUMA node 1, where there are several nodes",
	},
	[MP_NODE_2] = {
		"node_2_space", "N2", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of RESIDENT, bytes in pages of NUMA node 2, where there are several nodes",
	},
	[MP_NODE_3] = {
		"node_3_space", "N3", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of RESIDENT, bytes in pages of NUMA node 3, where there are several nodes",
	},
	[MP_NODE_4] = {
		"node_4_space", "N4", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of RESIDENT, bytes in pages of NUMA node 4, where there are several nodes",
	},
	[MP_NODE_5] = {
		"node_5_space", "N5", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of RESIDENT, bytes in pages of NUMA node 5, where there are several nodes",
	},
	[MP_NODE_6] = {
		"node_6_space", "N6", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of RESIDENT, bytes in pages of NUMA node 6, where there are several nodes",
	},
	[MP_NODE_7] = {
		"node_7_space", "N7", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of RESIDENT, bytes in pages of NUMA nodes from 7 on, where there are several nodes",
	},
	[MP_ADVISED] = {
		"advised_space", "ADVISED", MP_UNIT_BYTES, MP_FLOW, 0, false,
		"bytes of ranges that madvise gave back: MADV_DONTNEED, _FREE, _REMOVE",
	},
	[MP_RELEASED] = {
		"released_space", "RELEASED", MP_UNIT_BYTES, MP_FLOW, 0, false,
		"BRK- + MMAP- + ADVISED: given back to the kernel, whether or not it was touched",
	},
	[MP_FREED_RESIDENT] = {
		"freed_resident_space", "FREED-RSS", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of HEAP, bytes of freed blocks in present pages, not used again",
	},
	[MP_FREED_PINNED] = {
		"freed_pinned_space", "FREED-PINNED", MP_UNIT_BYTES, MP_LEVEL,
		MP_FROM_ALLOC, false,
		"of FREED-RSS, on pages that living blocks keep",
	},
	[MP_SAMPLER_RESIDENT] = {
		"sampler_space", "SAMPLER", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"of FILES and SHARED, what memprof's own library in the process uses",
	},
	[MP_MALLOC_USED] = {
		"malloc_used_space", "USED", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"of HEAP, blocks in use in heaps of glibc's malloc, those from before the session, too",
	},
	[MP_MALLOC_FREE] = {
		"malloc_free_space", "FREE", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"of HEAP, what is free inside glibc's malloc, at least",
	},
	[MP_MALLOC_TRIM] = {
		"malloc_trim_space", "TRIM", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"of FREE, whole pages, which malloc_trim(0) gives back to the kernel",
	},
	[MP_MALLOC_UNREAD] = {
		"malloc_unread_space", "UNREAD", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"of HEAP, in heaps of glibc's malloc, but not read: no time, in swap, or not made of chunks",
	},
};

int mp_metric_find(const char *name)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		if (!strcmp(name, mp_metrics[i].key) ||
		    !strcasecmp(name, mp_metrics[i].heading))
			return i;
	return -1;
}

bool mp_metric_is_estimate(enum mp_metric metric, uint32_t minor_period,
			   uint32_t major_period, uint64_t alloc_rate)
{
	unsigned int sampled = mp_metrics[metric].sampled;

	return (sampled & MP_FROM_MINOR && minor_period > 1) ||
	       (sampled & MP_FROM_MAJOR && major_period > 1) ||
	       (sampled & MP_FROM_ALLOC && alloc_rate > 1);
}

uint64_t mp_metric_error(uint64_t value, uint64_t rate)
{
	const double error = 2 * sqrt((double)value * (double)rate);

	if (rate <= 1)
		return 0;
	/* a file may contain any number */
	return error < 0x1p64 ? (uint64_t)error : UINT64_MAX;
}

bool mp_metric_is_known(enum mp_metric metric, const uint64_t *values)
{
	/* only some sessions have these, and 0 says that this one has not */
	if ((metric >= MP_COLD && metric <= MP_NODE_7) || metric == MP_FREED_RESIDENT ||
	    metric == MP_FREED_PINNED || metric == MP_SAMPLER_RESIDENT ||
	    (metric >= MP_MALLOC_USED && metric <= MP_MALLOC_UNREAD))
		return values[metric];
	if (metric < MP_CGROUP_CURRENT || metric > MP_CGROUP_REST || values[metric])
		return true;
	if (metric == MP_CGROUP_PEAK)
		return false;
	/* CURRENT of an empty cgroup is 0, but known: PEAK is not 0 then */
	return values[MP_CGROUP_CURRENT] ||
	       (metric != MP_CGROUP_REST && values[MP_CGROUP_PEAK]);
}

int mp_metric_compare(enum mp_metric metric, uint64_t a, uint64_t b)
{
	if (mp_metrics[metric].is_signed)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}
