// SPDX-License-Identifier: GPL-2.0-only
/*
 * counter: the table of counter names and their meanings
 *
 * The table is constant. A look-up is a linear search. It cannot fail: for an
 * unknown name it returns an entry of class MP_COUNTER_UNKNOWN.
 */
#include "counter.h"

#include <stddef.h>
#include <string.h>

static const struct mp_counter_info counters[] = {
	{ "fault_not_target", MP_COUNTER_NORMAL,
	  "fault samples of tasks that were not asked for" },
	{ "fault_no_mm", MP_COUNTER_NORMAL,
	  "fault samples of kernel threads" },
	{ "fault_kernel_address", MP_COUNTER_NORMAL,
	  "fault samples at kernel addresses" },
	{ "growth_failed", MP_COUNTER_NORMAL,
	  "calls for address space that failed" },
	{ "growth_unchanged", MP_COUNTER_NORMAL,
	  "calls that changed no size" },
	{ "alloc_nested", MP_COUNTER_NORMAL,
	  "calls of an allocator from inside another one that is counted" },
	{ "alloc_not_target", MP_COUNTER_NORMAL,
	  "allocator calls of tasks that were not asked for" },
	{ "alloc_free_null", MP_COUNTER_NORMAL,
	  "frees of NULL" },
	{ "alloc_abandoned", MP_COUNTER_INEXACT,
	  "allocator calls that never returned: longjmp, exceptions, exit" },
	{ "alloc_unmatched", MP_COUNTER_INEXACT,
	  "allocator calls that were seen to return only: they began earlier" },
	{ "alloc_unreadable", MP_COUNTER_LOSS,
	  "allocator calls with a stack or arguments that cannot be" },
	{ "binary_set_full", MP_COUNTER_LOSS,
	  "times that a binary was not looked at: there are too many" },
	{ "probe_failed", MP_COUNTER_LOSS,
	  "allocator functions that could not be probed" },
	{ "live_table_full", MP_COUNTER_LOSS,
	  "allocations beyond the table of live blocks: use a larger --alloc BYTES, or --max-live N" },
	{ "site_table_full", MP_COUNTER_LOSS,
	  "allocations, faults and growth at callsites beyond the table: see the row [dropped]" },
	{ "task_table_full", MP_COUNTER_LOSS,
	  "allocations of threads that found no room" },
	{ "binary_table_full", MP_COUNTER_LOSS,
	  "callsites in binaries that found no room: their address is all that is known" },
	{ "thread_table_full", MP_COUNTER_LOSS,
	  "allocator calls of threads beyond the table: not paired with their returns" },
	{ "stack_dropped", MP_COUNTER_LOSS,
	  "stacks that were not unwound: too many were waiting; the callsite is all that is known" },
	{ "unwind_refused", MP_COUNTER_INEXACT,
	  "binaries whose call frame information is too large or corrupt: stacks are cut there" },
	{ "rate_invalid", MP_COUNTER_MISTAKE,
	  "MEMPROF_RATE was no number of bytes from 1 to 32G: the default was used" },
	{ "out_unusable", MP_COUNTER_MISTAKE,
	  "MEMPROF_OUT could not be written: the default was used" },
	{ "region_private", MP_COUNTER_LOSS,
	  "processes that found no place for their file" },
	{ "cpu_unsupported", MP_COUNTER_LOSS,
	  "processes that were not sampled: the processor has no 16-byte compare and exchange" },
	{ "region_grow_failed", MP_COUNTER_LOSS,
	  "times that a process's file could not grow: the disk is full" },
	{ "heap_map_full_drops", MP_COUNTER_LOSS,
	  "samples that found the table of living blocks full" },
	{ "heap_map_stale", MP_COUNTER_INEXACT,
	  "blocks whose free was not seen: their address was given again" },
	{ "stack_table_full_drops", MP_COUNTER_LOSS,
	  "samples whose stack found the table full: in [dropped]" },
	{ "stack_table_busy_drops", MP_COUNTER_LOSS,
	  "samples whose stack found no room on the disk: in [dropped]" },
	{ "thread_table_full_drops", MP_COUNTER_LOSS,
	  "allocations of threads that found the table of threads full" },
	{ "stacks_not_walked", MP_COUNTER_LOSS,
	  "samples on stacks that are no thread's: in [dropped]" },
	{ "stacks_shallow", MP_COUNTER_INEXACT,
	  "stacks that could not be walked to their end" },
	{ "stacks_cut", MP_COUNTER_INEXACT,
	  "stacks of more than 64 frames" },
	{ "maps_full_drops", MP_COUNTER_LOSS,
	  "binaries that were not written down: callsites there have no file" },
	{ "functions_full_drops", MP_COUNTER_INEXACT,
	  "new lines of Python that found the table of functions full: not in stacks" },
	{ "python_unknown", MP_COUNTER_INEXACT,
	  "samples in a Python of a version that is not known: stacks have no functions of Python" },
	{ "python_frames_lost", MP_COUNTER_INEXACT,
	  "stacks in which functions of Python could not be read" },
	{ "samples_skipped_reentrant", MP_COUNTER_NORMAL,
	  "allocations inside of a sample" },
	{ "samples_skipped_paused", MP_COUNTER_NORMAL,
	  "allocations that would have been sampled but for memprofctl pause" },
	{ "growth_without_call", MP_COUNTER_INEXACT,
	  "bytes of growth without a callsite: stacks of first threads, and calls whose events were lost" },
	{ "area_dropped", MP_COUNTER_INEXACT,
	  "mappings that found no room: what is given back of them is not counted" },
	{ "growth_of_sampler", MP_COUNTER_NORMAL,
	  "changes of size by the sampling library, for its own tables" },
	{ "bloom_false_positives", MP_COUNTER_NORMAL,
	  "frees that were looked up in vain" },
	{ "bloom_rebuilds", MP_COUNTER_NORMAL,
	  "times that the filter in front of the look-ups was built anew" },
	{ "death_during_birth", MP_COUNTER_NORMAL,
	  "frees of blocks that were being written down" },
	{ "zombie_races", MP_COUNTER_NORMAL,
	  "frees that came from before the block at their address" },
	{ "failed_allocs", MP_COUNTER_NORMAL,
	  "sampled calls for which there was no memory" },
	{ "uprobe_nested_limit", MP_COUNTER_LOSS,
	  "allocator calls nested deeper than the kernel follows returns" },
	{ "growth_overlapped", MP_COUNTER_INEXACT,
	  "calls whose range could not be read, because another thread changed the address "
	  "space or it has very many mappings: their size is that of their arguments" },
	{ "growth_populated", MP_COUNTER_INEXACT,
	  "mappings whose pages the kernel gave without faults (MAP_POPULATE, mlockall): "
	  "TOUCHED does not have them" },
	{ "event_late", MP_COUNTER_INEXACT,
	  "events that came after later ones had been counted" },
	{ "order_full", MP_COUNTER_INEXACT,
	  "times that events were counted before all earlier ones had come: too many were waiting" },
	{ "map_dropped", MP_COUNTER_LOSS,
	  "mappings of processes that have very many: callsites there have no file" },
	{ "alloc_not_followed", MP_COUNTER_INEXACT,
	  "blocks of posix_memalign: it does not return their address, so they count as allocated, but not in LIVE, and their frees are frees of unknown blocks" },
	{ "stack_table_full", MP_COUNTER_INEXACT,
	  "stacks of which only the callsite is kept: there are too many different ones" },
	{ "file_table_full", MP_COUNTER_LOSS,
	  "mappings of files that found no room: callsites there have no file" },
	{ "record_bad", MP_COUNTER_LOSS,
	  "records that are not what they should be" },
	{ "sample_ignored", MP_COUNTER_NORMAL,
	  "samples of events that are not about memory" },
	{ "sizes_skipped", MP_COUNTER_INEXACT,
	  "processes whose mappings were not looked at, for lack of time: all they hold is OTHER" },
	{ "sizes_late", MP_COUNTER_INEXACT,
	  "times that a process's sizes were not taken for more than a second: there are too many, or they are too large" },
	{ "event_lost", MP_COUNTER_LOSS,
	  "events that found the kernel's ring full" },
	{ "event_kept", MP_COUNTER_NORMAL,
	  "events that did not: the numbers are made of them" },
	{ "process_folded", MP_COUNTER_INEXACT,
	  "exited processes summed up in one row to make room" },
	{ "site_folded", MP_COUNTER_INEXACT,
	  "callsites of exited processes whose rows other callsites needed: their sums are in the row [dropped]" },
	{ "cgroup_folded", MP_COUNTER_INEXACT,
	  "removed cgroups whose rows other cgroups needed: their sums are in the row [table full]" },
	{ "target_lost", MP_COUNTER_LOSS,
	  "times that a target cgroup was removed and made again too often: it is not followed any more" },
	{ "fault_event_dropped", MP_COUNTER_LOSS,
	  "fault events that reached the table but not the tracepoint" },
	{ "growth_missed", MP_COUNTER_LOSS,
	  "calls for address space that were not seen" },
	{ "process_table_full", MP_COUNTER_LOSS,
	  "events of processes without a row (see start --max-processes)" },
	{ "cgroup_table_full", MP_COUNTER_LOSS,
	  "events in cgroups without a row" },
	{ "fault_cpu_failed", MP_COUNTER_LOSS,
	  "CPUs whose faults are not sampled" },
	{ "hook_missed", MP_COUNTER_LOSS,
	  "probe hits that the kernel dropped" },
	{ "session_changed", MP_COUNTER_LOSS,
	  "events that began under another session" },
};

static const struct mp_counter_info unknown = {
	"", MP_COUNTER_UNKNOWN, NULL,
};

const struct mp_counter_info *mp_counter_info(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (!strcmp(name, counters[i].name))
			return &counters[i];
	return &unknown;
}

const char *mp_counter_class_title(enum mp_counter_class class)
{
	static const char * const titles[] = {
		[MP_COUNTER_LOSS] = "lost",
		[MP_COUNTER_MISTAKE] = "not as it was asked for",
		[MP_COUNTER_INEXACT] = "less exact",
		[MP_COUNTER_UNKNOWN] = "also counted",
		[MP_COUNTER_NORMAL] = "skipped, as they should be",
	};

	return titles[class];
}
