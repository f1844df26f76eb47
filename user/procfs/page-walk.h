/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page-walk: finds which pages of a process are in memory or in swap
 */
#ifndef MP_PAGE_WALK_H
#define MP_PAGE_WALK_H

#include "blame.h"
#include "pages.h"

#include <sys/types.h>

/**
 * struct mp_page_walk - how to look
 * @blocks: living blocks, sorted; mappings that cannot belong to an allocator are looked
 *	at only if such a block lies in them. NULL: only look at those that can
 * @end_ns: time at which to stop, CLOCK_MONOTONIC; 0: do not stop
 * @entries_only: read pagemap, as on a kernel without PAGEMAP_SCAN; for tests
 */
struct mp_page_walk {
	const struct mp_blame_blocks *blocks;
	uint64_t end_ns;
	bool entries_only;
};

/**
 * mp_page_walk - look at the pages of the mappings of a process
 * @mappings: as smaps has them; those without a page in memory or swap are skipped
 * @pages: must be empty. What was not looked at is in unseen. Call mp_pages_free() also
 *	after an error
 *
 * Source: /proc/PID/pagemap. The kernel is asked for ranges of pages of one state
 * (PAGEMAP_SCAN, Linux 6.7), for which it skips page tables that do not exist. A kernel
 * that refuses is asked for each page, also where nothing was touched. It does not say
 * which pages are huge, and which are the page of zeros: that page is recognised only
 * with CAP_SYS_ADMIN.
 *
 * Return: 0, or a negative errno.
 */
int mp_page_walk(const struct mp_page_walk *walk, pid_t pid,
		 const struct mp_mappings *mappings, struct mp_pages *pages);

/**
 * struct mp_page_runs - pages of a process that were found before
 * @list: sorted, without overlaps; may cross the borders of mappings
 */
struct mp_page_runs {
	const struct mp_page_run *list;
	size_t nr;
};

/**
 * mp_page_walk_runs - as mp_page_walk(), of pages that were found before
 * @walk: only its @blocks are used
 *
 * Runs outside of the mappings are left out.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_page_walk_runs(const struct mp_page_walk *walk, const struct mp_page_runs *runs,
		      const struct mp_mappings *mappings, struct mp_pages *pages);

#endif
