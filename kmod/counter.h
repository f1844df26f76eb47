/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Named counters: one per reason why an event was not counted, not emitted, or
 * counted less exactly. They explain why a result has fewer events than
 * expected.
 *
 * Cost: one per-CPU addition per event.
 */
#ifndef _MEMPROF_COUNTER_H
#define _MEMPROF_COUNTER_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <uapi/linux/memprof.h>

/* Documentation/uapi.rst explains each. The names are ABI, the order is not. */
#define MEMPROF_COUNTERS(X)		\
	X(FAULT_NOT_TARGET,	"fault_not_target")	\
	X(FAULT_NO_MM,		"fault_no_mm")		\
	X(FAULT_KERNEL_ADDRESS,	"fault_kernel_address")	\
	X(FAULT_EVENT_DROPPED,	"fault_event_dropped")	\
	X(FAULT_CPU_FAILED,	"fault_cpu_failed")	\
	X(GROWTH_FAILED,	"growth_failed")	\
	X(GROWTH_UNCHANGED,	"growth_unchanged")	\
	X(GROWTH_OVERLAPPED,	"growth_overlapped")	\
	X(GROWTH_MISSED,	"growth_missed")	\
	X(GROWTH_POPULATED,	"growth_populated")	\
	X(HOOK_MISSED,		"hook_missed")		\
	X(ALLOC_NOT_TARGET,	"alloc_not_target")	\
	X(ALLOC_FREE_NULL,	"alloc_free_null")	\
	X(ALLOC_NESTED,		"alloc_nested")		\
	X(ALLOC_UNREADABLE,	"alloc_unreadable")	\
	X(ALLOC_ABANDONED,	"alloc_abandoned")	\
	X(ALLOC_UNMATCHED,	"alloc_unmatched")	\
	X(UPROBE_NESTED_LIMIT,	"uprobe_nested_limit")	\
	X(LIVE_TABLE_FULL,	"live_table_full")	\
	X(SITE_TABLE_FULL,	"site_table_full")	\
	X(SITE_FOLDED,		"site_folded")		\
	X(TASK_TABLE_FULL,	"task_table_full")	\
	X(BINARY_TABLE_FULL,	"binary_table_full")	\
	X(PYTHON_UNREADABLE,	"python_unreadable")	\
	X(PYTHON_CUT,		"python_cut")		\
	X(SESSION_CHANGED,	"session_changed")	\
	X(PROCESS_FOLDED,	"process_folded")	\
	X(PROCESS_TABLE_FULL,	"process_table_full")	\
	X(CGROUP_TABLE_FULL,	"cgroup_table_full")	\
	X(CGROUP_FOLDED,	"cgroup_folded")	\
	X(TARGET_LOST,		"target_lost")

enum memprof_count {
#define X(id, name) MEMPROF_COUNT_##id,
	MEMPROF_COUNTERS(X)
#undef X
	MEMPROF_NR_COUNTS
};

/*
 * The counters of one CPU. Probes on this CPU write them; a snapshot adds up
 * all CPUs.
 */
struct memprof_counts {
	u64 value[MEMPROF_NR_COUNTS];
};

static inline void memprof_count(struct memprof_counts __percpu *counts,
				 enum memprof_count which)
{
	this_cpu_inc(counts->value[which]);
}

void memprof_counts_read(struct memprof_counts __percpu *counts,
			 struct memprof_counter *out);

#endif
