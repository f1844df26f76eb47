// SPDX-License-Identifier: GPL-2.0-only
/*
 * freed-list: chooses the largest rows, and writes a line for each
 */
#include "freed-list.h"
#include "human.h"
#include "location-text.h"
#include "top-sites.h"

#define NR_LINES	5

/* Whether a part is as good as all. */
static bool is_most(uint64_t part, uint64_t all)
{
	return part >= all - all / 100;
}

static void write_row(FILE *file, const struct mp_profile *profile, const struct mp_row *row)
{
	const struct mp_row keeper = { .kind = MP_ROW_SITE, .location = row->keeper };
	const uint64_t all = row->value[MP_FREED_RESIDENT];
	const uint64_t shared = row->value[MP_FREED_PINNED];
	char name[MP_LOCATION_TEXT_SIZE], by[MP_LOCATION_TEXT_SIZE] = "";
	char freed[MP_HUMAN_SIZE], pinned[MP_HUMAN_SIZE], kept[MP_HUMAN_SIZE];

	mp_location_row(profile, row, name);
	mp_human_bytes(freed, all);
	mp_human_bytes(pinned, shared);
	mp_human_bytes(kept, row->kept);
	if (row->kept)
		mp_location_row(profile, &keeper, by);
	fprintf(file, "        %7s  %s: ", freed, name);
	if (is_most(all - shared, all))
		fputs("no living block keeps these pages\n", file);
	else if (row->kept && is_most(row->kept, all))
		fprintf(file, "living blocks of %s keep these pages\n", by);
	else if (row->kept && is_most(row->kept, shared))
		fprintf(file, "living blocks of %s keep the pages of %s\n", by, pinned);
	else if (row->kept)
		fprintf(file, "living blocks keep the pages of %s, those of %s of %s\n",
			pinned, by, kept);
	else
		fprintf(file, "living blocks keep the pages of %s\n", pinned);
}

void mp_freed_list(FILE *file, const struct mp_profile *profile)
{
	const struct mp_row *rows[NR_LINES];
	const size_t nr = mp_top_sites(profile, MP_TOP_ALL, MP_FREED_RESIDENT, NR_LINES, rows);
	size_t i;

	if (nr)
		fputs("freed:  bytes of freed blocks in pages that are still resident, by who had allocated them\n",
		      file);
	for (i = 0; i < nr; i++)
		write_row(file, profile, rows[i]);
}
