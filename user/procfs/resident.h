/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * resident: reads RSS of a process, and finds who keeps its pages
 */
#ifndef MP_RESIDENT_H
#define MP_RESIDENT_H

#include "cold.h"
#include "freed.h"
#include "page-walk.h"

#include <stdio.h>
#include <sys/types.h>

/* Limit of living blocks of a process: 128 MB, and about two seconds */
#define MP_RESIDENT_MAX_BLOCKS	(1U << 22)

/**
 * struct mp_resident - a look at processes
 * @end_ns: time at which to stop, CLOCK_MONOTONIC; 0: do not stop
 * @walk_ns: instead, time for the pages of each process, after its mappings were read, which
 *	takes 20 us each, and its blocks were sorted; or 0
 * @blame: sums of all processes, by owner; the rest is of the last process
 * @moved: out: bytes of heap pages that came or went between the two looks at a process
 * @unseen: out: bytes of mappings whose pages were not looked at: the time was over, or
 *	there was too much
 * @cut: out: processes with more than MP_MAX_MAPPINGS mappings
 * @freed: freed blocks of the process that is looked at; or NULL
 * @cold: ages of pages, sorted; or NULL
 * @unmarked: out: processes whose cold pages, or nodes, found no memory
 * @unplaced: out: bytes of pages whose NUMA node is not known
 * @guessed: out: bytes of pages that were left out, see mp_pages_limit()
 * @unfreed: out: processes without FREED-RSS, because memory was short
 */
struct mp_resident {
	uint64_t end_ns, walk_ns;
	struct mp_blame blame;
	struct mp_freed *freed;
	const struct mp_cold *cold;
	uint64_t moved, unseen, guessed, cut, unmarked, unplaced, unfreed;
};

/**
 * mp_resident_read - set RSS of a process, its parts, and the metrics of its pages
 * @resident: sums are added
 * @blocks: living blocks of the process, in any order; they are sorted
 * @row: the levels and the peak of RSS are set
 *
 * Source: as of mp_smaps_fill() and mp_page_walk().
 *
 * Return: false if the process exited or must not be read. The row does not change then.
 */
bool mp_resident_read(struct mp_resident *resident, pid_t pid,
		      struct mp_blame_blocks *blocks, struct mp_row *row);

/**
 * struct mp_resident_kept - what was kept of a process that may have ended
 * @smaps: text of its /proc/PID/smaps
 * @runs: its pages; @smaps may be of another process's mappings if it is hostile
 */
struct mp_resident_kept {
	FILE *smaps;
	struct mp_page_runs runs;
};

/**
 * mp_resident_read_kept - as mp_resident_read(), of a process as it was
 *
 * Stacks of threads that need a look at the threads are not recognised. The peak of RSS
 * becomes RSS, if that is more.
 *
 * Return: false if nothing was kept. The row does not change then.
 */
bool mp_resident_read_kept(struct mp_resident *resident,
			   const struct mp_resident_kept *kept,
			   struct mp_blame_blocks *blocks, struct mp_row *row);

/**
 * mp_resident_report - add the counters of what was missed to a profile
 *
 * Return: 0, or -ENOMEM.
 */
int mp_resident_report(const struct mp_resident *resident, struct mp_profile *profile);

#endif
