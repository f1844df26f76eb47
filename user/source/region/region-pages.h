/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region-pages: the mappings and pages that a process kept at its end
 */
#ifndef MP_REGION_PAGES_H
#define MP_REGION_PAGES_H

#include "region.h"
#include "resident.h"

/**
 * struct mp_region_pages - what a region has of its process's pages; all zero means none
 * @kept: for mp_resident_read_kept()
 * @text, @runs: memory of @kept
 * @nr_text: bytes of @text
 */
struct mp_region_pages {
	struct mp_resident_kept kept;
	char *text;
	size_t nr_text;
	struct mp_page_run *runs;
};

/**
 * mp_region_pages_read - read them
 *
 * The process may have written anything: runs that are not in order, and what is no
 * text, are left out. Call mp_region_pages_free() also after an error.
 *
 * Return: 0; -ENODATA if the process kept nothing; -ENOMEM.
 */
int mp_region_pages_read(struct mp_region_pages *pages, const struct mp_region *region);

/** mp_region_pages_free - free all memory */
void mp_region_pages_free(struct mp_region_pages *pages);

#endif
