// SPDX-License-Identifier: GPL-2.0-only
/*
 * region-pages: copies the text of smaps and the runs of pages out of a region
 *
 * At most 16 MB of text and 24 MB of runs, which region-window.c limits. The library
 * writes 2 MB and 1.5 MB.
 */
#include "region-pages.h"
#include "region-window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_text(struct mp_region_pages *pages, const struct mp_region *region)
{
	const struct memprof_region_text *piece;
	struct mp_region_window window;
	size_t nr = 0;
	uint64_t i;
	int err = mp_region_window_open(&window, region, MEMPROF_REGION_SMAPS);

	if (!err && !window.nr)
		err = -ENODATA;
	if (!err)
		pages->text = malloc(window.nr * sizeof(*piece));
	if (!err && !pages->text)
		err = -ENOMEM;
	for (i = 0; !err && (piece = mp_region_window_at(&window, i)); i++) {
		memcpy(pages->text + nr, piece->text, sizeof(piece->text));
		nr += strnlen(piece->text, sizeof(piece->text));
		if (nr % sizeof(piece->text))
			break;
	}
	mp_region_window_close(&window);
	if (!err && !nr)
		err = -ENODATA;
	if (!err) {
		pages->nr_text = nr;
		pages->kept.smaps = fmemopen(pages->text, nr, "r");
		err = pages->kept.smaps ? 0 : -ENOMEM;
	}
	return err;
}

static bool is_valid(const struct memprof_region_pages *from, uint64_t last_end,
		     uint64_t page_size)
{
	return from->start >= last_end && from->start < from->end &&
	       !(from->end >> 63) && from->start % page_size == 0 &&
	       from->end % page_size == 0 &&
	       from->state & (MEMPROF_REGION_PAGE_PRESENT | MEMPROF_REGION_PAGE_SWAPPED) &&
	       !(from->state & MEMPROF_REGION_PAGE_ZERO);
}

static uint32_t state_of(uint64_t state)
{
	if (!(state & MEMPROF_REGION_PAGE_PRESENT))
		return 0;
	return MP_PAGE_PRESENT | (state & MEMPROF_REGION_PAGE_HUGE ? MP_PAGE_HUGE : 0);
}

static int read_runs(struct mp_region_pages *pages, const struct mp_region *region)
{
	const uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct memprof_region_pages *from;
	struct mp_region_window window;
	uint64_t i, last_end = 0;
	size_t nr = 0;
	int err = mp_region_window_open(&window, region, MEMPROF_REGION_PAGES);

	if (!err) {
		pages->runs = calloc(window.nr + 1, sizeof(*pages->runs));
		err = pages->runs ? 0 : -ENOMEM;
	}
	for (i = 0; !err && (from = mp_region_window_at(&window, i)); i++) {
		if (!is_valid(from, last_end, page_size))
			continue;
		last_end = from->end;
		pages->runs[nr++] = (struct mp_page_run){
			.start = from->start, .end = from->end,
			.state = state_of(from->state),
		};
	}
	mp_region_window_close(&window);
	pages->kept.runs = (struct mp_page_runs){ pages->runs, nr };
	return err;
}

int mp_region_pages_read(struct mp_region_pages *pages, const struct mp_region *region)
{
	return read_text(pages, region) ?: read_runs(pages, region);
}

void mp_region_pages_free(struct mp_region_pages *pages)
{
	if (pages->kept.smaps)
		fclose(pages->kept.smaps);
	free(pages->text);
	free(pages->runs);
	*pages = (struct mp_region_pages){ 0 };
}
