/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pages: which pages of a process are in memory or in swap
 */
#ifndef MP_PAGES_H
#define MP_PAGES_H

#include "residence.h"

/* Limit of runs of a process: 48 MB, and enough for 8 GiB of alternating pages. */
#define MP_PAGES_MAX_RUNS	(1U << 21)

/* NUMA nodes with a number of their own; the last one has all above it, too. */
#define MP_PAGE_MAX_NODES	8
#define MP_PAGE_NODE_SHIFT	8

/**
 * enum mp_page_state - what is known of the pages of a run
 * @MP_PAGE_PRESENT: in memory; else in swap
 * @MP_PAGE_HUGE: mapped as a part of a huge page; never set if the kernel cannot tell
 * @MP_PAGE_COLD: not referenced for a time; only set by mp_cold_mark()
 * @MP_PAGE_NODES: number of its NUMA node plus 1, at most MP_PAGE_MAX_NODES; 0: not known
 */
enum mp_page_state {
	MP_PAGE_PRESENT	= 1 << 0,
	MP_PAGE_HUGE	= 1 << 1,
	MP_PAGE_COLD	= 1 << 2,
	MP_PAGE_NODES	= 0xf << MP_PAGE_NODE_SHIFT,
};

/**
 * struct mp_page_run - adjacent pages of one state
 * @start: first address, a multiple of the page size
 * @end: first address after it
 * @state: enum mp_page_state bits
 *
 * Pages that are neither present nor in swap are in no run.
 */
struct mp_page_run {
	uint64_t start;
	uint64_t end;
	uint32_t state;
};

/**
 * struct mp_page_area - a mapping whose pages were looked up
 * @start: first address
 * @end: first address after it
 * @class: enum mp_mapping_class
 * @is_break: the mapping is the heap that brk() enlarges
 * @has_blocks: a living block lies in it; set by mp_blame_find()
 */
struct mp_page_area {
	uint64_t start;
	uint64_t end;
	uint32_t class;
	bool is_break;
	bool has_blocks;
};

/**
 * struct mp_pages - pages of a process; all zero means empty
 * @page_size: bytes of a page
 * @areas: sorted, without overlaps
 * @runs: sorted, each in one area
 * @unseen: bytes of areas that were not looked up: the time was over, or there were
 *	more than MP_PAGES_MAX_RUNS
 * @guessed: bytes of pages that were left out, because the area has more than its RSS:
 *	they may be pages of zeros
 * @unplaced: bytes of present pages whose NUMA node is not known, though asked for
 */
struct mp_pages {
	uint64_t page_size;
	struct mp_page_area *areas;
	size_t nr_areas, max_areas;
	struct mp_page_run *runs;
	size_t nr_runs, max_runs;
	uint64_t unseen;
	uint64_t guessed;
	uint64_t unplaced;
};

/**
 * mp_pages_add_area - add an area
 *
 * Return: 0, or -ENOMEM.
 */
int mp_pages_add_area(struct mp_pages *pages, const struct mp_page_area *area);

/**
 * mp_pages_add_run - add pages behind all others; a run of the same state and area grows
 *
 * Return: 0; -ENOSPC at the limit; -ENOMEM.
 */
int mp_pages_add_run(struct mp_pages *pages, const struct mp_page_run *run);

/**
 * mp_pages_limit - leave out present pages beyond a mapping's RSS
 * @first: index of the mapping's first run; its runs are the last ones
 * @rss: bytes
 *
 * Pages of zeros that were only read count in no RSS, but not every kernel tells them from
 * others: not huge ones, and none if frame numbers are hidden. Which pages they are is not
 * known; long runs are shortened first. A mapping may have 2 MiB more, because the process
 * runs meanwhile.
 */
void mp_pages_limit(struct mp_pages *pages, size_t first, uint64_t rss);

/**
 * mp_pages_replace - put finer runs in the place of all runs
 * @finer: runs in the same areas; empty afterwards
 */
void mp_pages_replace(struct mp_pages *pages, struct mp_pages *finer);

/** mp_pages_free - free all memory; the object is empty afterwards */
void mp_pages_free(struct mp_pages *pages);

#endif
