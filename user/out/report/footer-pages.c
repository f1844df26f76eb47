// SPDX-License-Identifier: GPL-2.0-only
/*
 * footer-pages: writes how full the pages of the heap are, and what the numbers mean
 *
 * The cost is a pass over the rows. The caller checks the stream for errors.
 */
#include "footer-pages.h"
#include "footer.h"
#include "human.h"

#include <inttypes.h>

#define BAR		40

static bool has_pages(const struct mp_row *row)
{
	return row->value[MP_BLOCK_RESIDENT] || row->value[MP_BLOCK_SWAPPED] ||
	       row->value[MP_BLOCK_UNTOUCHED] || row->value[MP_HELD_PAGES];
}

/* Rows whose blocks live, but whose pages were not looked at. */
static size_t count_unseen(const struct mp_profile *profile, enum mp_row_kind kind,
			   size_t *nr)
{
	const struct mp_row *row;
	size_t unseen = 0;

	*nr = 0;
	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == kind && (has_pages(row) || (row->value[MP_INUSE_SPACE] &&
							     !(row->flags & MP_ROW_EXITED)))) {
			unseen += !has_pages(row);
			++*nr;
		}
	return unseen;
}

static bool any_pages(const struct mp_profile *profile, enum mp_row_kind kind)
{
	const struct mp_row *row;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == kind && has_pages(row))
			return true;
	return false;
}

static void write_bar(FILE *file, const char *name, uint64_t bytes, uint64_t all)
{
	char text[MP_HUMAN_SIZE];
	int i, width = all ? (int)((__uint128_t)bytes * BAR / all) : 0;

	fprintf(file, "        %-12s %7s  ", name, mp_human_bytes(text, bytes));
	for (i = 0; i < width; i++)
		putc('#', file);
	putc('\n', file);
}

/* Blocks that are older than the session are not known, so their pages are HELD. */
static bool has_older(const struct mp_profile *profile)
{
	const struct mp_row *row;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == MP_ROW_PROCESS && row->value[MP_HELD_PAGES] &&
		    mp_row_is_older(row, &profile->meta))
			return true;
	return false;
}

static void write_fills(FILE *file, const uint64_t *value, bool older)
{
	static const char * const names[] = {
		"up to 5 %", "5 to 10 %", "10 to 25 %", "25 to 50 %", "50 to 75 %",
		"75 to 100 %",
	};
	const uint64_t all = value[MP_BLAME] + value[MP_HELD_PAGES];
	char blame[MP_HUMAN_SIZE], pinned[MP_HUMAN_SIZE], held[MP_HUMAN_SIZE];
	size_t i;

	fputs("fill:   resident pages of the heap, by the part of them that is in living blocks\n",
	      file);
	if (value[MP_HELD_PAGES])
		write_bar(file, older ? "0, or older" : "0", value[MP_HELD_PAGES], all);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		write_bar(file, names[i], value[MP_FILL_5 + i], all);
	fprintf(file, "        PINNED %s of BLAME %s would be free if blocks were moved together; %s%s is in pages without blocks\n",
		mp_human_bytes(pinned, value[MP_PINNED]),
		mp_human_bytes(blame, value[MP_BLAME]), older ? "at most " : "",
		mp_human_bytes(held, value[MP_HELD_PAGES]));
	if (older)
		fputs("        blocks that are older than the session are not known: their pages are among those without blocks\n",
		      file);
}

static void write_sampled(FILE *file, const struct mp_profile *profile,
			  const struct mp_total *total, bool fills)
{
	const uint64_t live = total->value[MP_INUSE_SPACE] ?: total->value[MP_AT_EXIT];
	const uint64_t error = mp_metric_error(live, mp_alloc_distance(&profile->meta.alloc,
								       total->value));
	char text[MP_HUMAN_SIZE];

	fprintf(file, "        blocks are samples: RESIDENT, SWAPPED and UNTOUCHED are estimates (of all together +- %s), BLAME is RESIDENT, a lower bound, and HELD-PAGES an upper one\n",
		mp_human_bytes(text, error));
	if (fills)
		fputs("        samples cannot tell how full a page is: memprofctl inject --rate 1 and then snapshot, or --alloc exact, know each block that is allocated from then on\n",
		      file);
}

/* How COLD was found, and what the look cost. */
static void write_cold(FILE *file, const struct mp_cold_meta *cold)
{
	const double seconds = (double)cold->least_ns / 1e9;
	const double spent = (double)cold->spent_ns / 1e9;
	const double tenth = (double)cold->tenth_ns / 1e9;

	fprintf(file, "cold:   COLD: of RESIDENT, not referenced for %g s; %s\n", seconds,
		cold->way == MP_COLD_DAMON ?
		"an estimate by DAMON, which looks at one page of each region and interval" :
		"of each page, by page_idle");
	fprintf(file, "        the coldest tenth of the watched memory was not referenced for %.1f s at least\n",
		tenth);
	fprintf(file, "        %" PRIu64 " %s watched for %.1f s", cold->nr_processes,
		cold->nr_processes == 1 ? "process was" : "processes were", spent);
	if (cold->cpu_ns)
		fprintf(file, ", which took %.3f s of CPU time (%.1f %% of a CPU)",
			(double)cold->cpu_ns / 1e9,
			100 * (double)cold->cpu_ns / (double)cold->spent_ns);
	putc('\n', file);
}

/* A recording whose processes have all ended has their pages at their ends. */
static void add_ended(const struct mp_profile *profile, enum mp_row_kind kind,
		      struct mp_total *total)
{
	const struct mp_row *row;
	size_t i;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		for (i = 0; i < MP_NR_METRICS && row->kind == kind &&
		     row->flags & MP_ROW_EXITED; i++)
			if (mp_metrics[i].nature == MP_LEVEL || i == MP_AT_EXIT)
				total->value[i] += row->value[i];
}

void mp_footer_pages(FILE *file, const struct mp_profile *profile, enum mp_row_kind kind,
		     bool fills)
{
	const bool sampled = profile->meta.alloc.rate > 1;
	struct mp_total total;
	size_t nr, unseen = count_unseen(profile, kind, &nr);

	mp_profile_total(profile, kind, &total);
	if (!total.value[MP_BLAME])
		add_ended(profile, kind, &total);
	if (fills && !sampled && total.value[MP_BLAME])
		write_fills(file, total.value, has_older(profile));
	fprintf(file, "pages:  LIVE = RESIDENT + SWAPPED + UNTOUCHED; RSS = BLAME + %s + STACKS + FILES + SHARED + OTHER\n",
		sampled || fills ? "HELD-PAGES" : "HELD-TOP + HELD-ARENA + HELD-EMPTY");
	if (profile->meta.cold.least_ns)
		write_cold(file, &profile->meta.cold);
	if (!any_pages(profile, kind) && profile->meta.source == MP_SOURCE_PRELOAD)
		fputs("        no page was looked at, so these columns are not known: a snapshot since a mark has no pages, nor has a program that a signal killed (memprofctl snapshot -p PID before)\n",
		      file);
	else if (!any_pages(profile, kind))
		fputs("        no page was looked at, so these columns are not known: a snapshot since a mark has no pages, and record looks at a command once a second (--interval 0.1: ten times)\n",
		      file);
	if (total.value[MP_BLAME] && !total.value[MP_INUSE_SPACE])
		fputs("        of processes that have ended, at their ends: what LIVE was then is AT-EXIT\n",
		      file);
	if (sampled && nr > unseen)
		write_sampled(file, profile, &total, fills);
	if (unseen)
		fprintf(file, "        of %zu of %zu rows the pages are not known: they are looked up while a process runs, in a session, or when a recording ends\n",
			unseen, nr);
	mp_footer_shared(file, profile, kind);
}
