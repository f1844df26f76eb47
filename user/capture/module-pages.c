// SPDX-License-Identifier: GPL-2.0-only
/*
 * module-pages: hands the living blocks of the module to the look at pages
 *
 * Memory during a report: 40 bytes per block, 32 per block of one process, 24 per run of
 * pages, and 120 per callsite. If there are more than MP_RESIDENT_MAX_BLOCKS, or memory is
 * short, all processes are skipped and counted.
 */
#include "module-pages.h"
#include "array.h"
#include "clock.h"
#include "kmod.h"

#include <errno.h>
#include <stdlib.h>

struct mp_module_block {
	uint64_t process;		/* number */
	struct mp_blame_block block;
};

/* Numbers the callsites and their processes. Of two with one key the first is meant. */
static int add_site(struct mp_module_pages *pages, const struct mp_profile *profile, size_t i)
{
	const struct mp_row *row = &profile->rows[i];
	uint32_t *process = mp_map_add(&pages->processes, row->pid, row->start_ns), *site;

	if (!process)
		return -ENOMEM;
	if (*process == MP_MAP_NEW)
		*process = (uint32_t)pages->processes.nr;
	site = mp_map_add(&pages->sites, row->location.address, *process);
	if (!site)
		return -ENOMEM;
	if (*site != MP_MAP_NEW)
		return 0;
	if (pages->nr_rows == pages->max_rows &&
	    !mp_array_grow(&pages->rows, &pages->max_rows, sizeof(*pages->rows)))
		return -ENOMEM;
	*site = (uint32_t)pages->nr_rows;
	pages->rows[pages->nr_rows++] = (uint32_t)i;
	return 0;
}

static bool is_callsite(const struct mp_row *row)
{
	return row->kind == MP_ROW_SITE && row->pid && !(row->flags & MP_ROW_OVERFLOW);
}

static int take_block(void *context, const struct memprof_living_block *from)
{
	struct mp_module_pages *pages = context;
	const uint32_t *process = mp_map_find(&pages->processes, from->pid, from->start_ns);
	const uint32_t *site = process && from->callsite ?
			       mp_map_find(&pages->sites, from->callsite, *process) : NULL;

	/* a process of which no callsite has a row */
	if (!process)
		return 0;
	if (pages->nr_blocks == MP_RESIDENT_MAX_BLOCKS)
		return -E2BIG;
	if (pages->nr_blocks == pages->max_blocks &&
	    !mp_array_grow(&pages->blocks, &pages->max_blocks, sizeof(*pages->blocks)))
		return -ENOMEM;
	pages->blocks[pages->nr_blocks++] = (struct mp_module_block){
		.process = *process,
		.block = {
			.start = from->address, .size = from->bytes,
			.space = from->weight_bytes, .owner = site ? *site : UINT32_MAX,
		},
	};
	return 0;
}

static int compare(const void *x, const void *y)
{
	const struct mp_module_block *a = x, *b = y;

	return (a->process > b->process) - (a->process < b->process);
}

int mp_module_pages_begin(struct mp_module_pages *pages, int device,
			  const struct mp_profile *profile, bool is_sampled,
			  uint64_t end_ns)
{
	struct mp_blame *blame = &pages->resident.blame;
	size_t i;
	int err = 0;

	*pages = (struct mp_module_pages){
		.resident = { .end_ns = end_ns, .blame.is_sampled = is_sampled },
	};
	for (i = 0; !err && i < profile->nr_rows; i++)
		if (is_callsite(&profile->rows[i]))
			err = add_site(pages, profile, i);
	if (!err)
		err = mp_kmod_blocks(device, take_block, pages);
	if (!err) {
		blame->owners = calloc(pages->nr_rows + 1, sizeof(*blame->owners));
		blame->nr_owners = blame->owners ? pages->nr_rows : 0;
	}
	if (err) {
		pages->nr_skipped = pages->processes.nr;
		pages->nr_blocks = 0;
	}
	if (pages->nr_blocks)
		qsort(pages->blocks, pages->nr_blocks, sizeof(*pages->blocks), compare);
	return err;
}

static bool copy_blocks(const struct mp_module_pages *pages, uint64_t process,
			struct mp_blame_blocks *blocks)
{
	size_t i = mp_array_above(pages->blocks, pages->nr_blocks, process, process - 1);

	for (; i < pages->nr_blocks && pages->blocks[i].process == process; i++)
		if (mp_blame_add(blocks, &pages->blocks[i].block))
			return false;
	return true;
}

bool mp_module_pages_process(struct mp_module_pages *pages, struct mp_row *row)
{
	const uint32_t *process = pages->resident.blame.nr_owners ?
				  mp_map_find(&pages->processes, row->pid, row->start_ns) :
				  NULL;
	struct mp_blame_blocks blocks = { 0 };
	bool done = false;

	if (!process)
		return false;
	if (mp_clock_ns() > pages->resident.end_ns || !copy_blocks(pages, *process, &blocks))
		pages->nr_skipped++;
	else
		done = mp_resident_read(&pages->resident, (pid_t)row->pid, &blocks, row);
	mp_blame_free_blocks(&blocks);
	return done;
}

int mp_module_pages_put(const struct mp_module_pages *pages, struct mp_profile *profile)
{
	const struct mp_blame *blame = &pages->resident.blame;
	size_t i;
	int err = 0;

	for (i = 0; i < blame->nr_owners; i++)
		mp_blame_put(&profile->rows[pages->rows[i]], &blame->owners[i]);
	if (pages->nr_skipped)
		err = mp_profile_add_counter(profile, "blame_skipped", pages->nr_skipped);
	return err ?: mp_resident_report(&pages->resident, profile);
}

void mp_module_pages_end(struct mp_module_pages *pages)
{
	free(pages->resident.blame.owners);
	free(pages->blocks);
	free(pages->rows);
	mp_map_free(&pages->processes);
	mp_map_free(&pages->sites);
	*pages = (struct mp_module_pages){ 0 };
}
