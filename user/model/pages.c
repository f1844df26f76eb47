// SPDX-License-Identifier: GPL-2.0-only
/*
 * pages: keeps areas and runs of pages
 *
 * 24 bytes per run: one run if all pages of a mapping have one state, and one run per
 * two pages if they alternate.
 */
#include "pages.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>

/* Of a huge page on x86-64, and on arm64 with pages of 4 KiB. */
#define HUGE_BYTES	(2UL << 20)

int mp_pages_add_area(struct mp_pages *pages, const struct mp_page_area *area)
{
	if (pages->nr_areas == pages->max_areas &&
	    !mp_array_grow(&pages->areas, &pages->max_areas, sizeof(*area)))
		return -ENOMEM;
	pages->areas[pages->nr_areas++] = *area;
	return 0;
}

/* Whether a run continues the last one, in the same area. */
static bool continues(const struct mp_pages *pages, const struct mp_page_run *run)
{
	const struct mp_page_run *last;
	size_t at;

	if (!pages->nr_runs)
		return false;
	last = &pages->runs[pages->nr_runs - 1];
	if (last->end != run->start || last->state != run->state)
		return false;
	at = mp_array_above(pages->areas, pages->nr_areas, end, last->start);
	return at < pages->nr_areas && run->start < pages->areas[at].end;
}

int mp_pages_add_run(struct mp_pages *pages, const struct mp_page_run *run)
{
	if (continues(pages, run)) {
		pages->runs[pages->nr_runs - 1].end = run->end;
		return 0;
	}
	if (pages->nr_runs == MP_PAGES_MAX_RUNS)
		return -ENOSPC;
	if (pages->nr_runs == pages->max_runs &&
	    !mp_array_grow(&pages->runs, &pages->max_runs, sizeof(*run)))
		return -ENOMEM;
	pages->runs[pages->nr_runs++] = *run;
	return 0;
}

/* Shortens runs of at least @least bytes. Returns what is left of @excess. */
static uint64_t shorten_runs(struct mp_pages *pages, size_t first, uint64_t least,
			     uint64_t excess)
{
	struct mp_page_run *run;
	uint64_t cut;

	for (run = pages->runs + first; excess && run < pages->runs + pages->nr_runs; run++) {
		cut = run->end - run->start;
		if (!(run->state & MP_PAGE_PRESENT) || cut < least)
			continue;
		cut = cut < excess ? cut : excess;
		run->end -= cut;
		pages->guessed += cut;
		excess -= cut;
	}
	return excess;
}

void mp_pages_limit(struct mp_pages *pages, size_t first, uint64_t rss)
{
	uint64_t present = 0, excess;
	size_t i, nr = first;

	for (i = first; i < pages->nr_runs; i++)
		if (pages->runs[i].state & MP_PAGE_PRESENT)
			present += pages->runs[i].end - pages->runs[i].start;
	if (present <= rss + HUGE_BYTES)
		return;
	excess = present - rss;
	excess = shorten_runs(pages, first, HUGE_BYTES, excess);
	shorten_runs(pages, first, 1, excess);
	for (i = first; i < pages->nr_runs; i++)
		if (pages->runs[i].start < pages->runs[i].end)
			pages->runs[nr++] = pages->runs[i];
	pages->nr_runs = nr;
}

void mp_pages_replace(struct mp_pages *pages, struct mp_pages *finer)
{
	free(pages->runs);
	pages->runs = finer->runs;
	pages->nr_runs = finer->nr_runs;
	pages->max_runs = finer->max_runs;
	*finer = (struct mp_pages){ 0 };
}

void mp_pages_free(struct mp_pages *pages)
{
	free(pages->areas);
	free(pages->runs);
	*pages = (struct mp_pages){ 0 };
}
