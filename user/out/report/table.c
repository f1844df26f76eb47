// SPDX-License-Identifier: GPL-2.0-only
/*
 * table: writes a report as a table
 *
 * The first pass over the rows measures the widths of the columns, and the second
 * pass prints. Nothing is allocated. Cells that are too long are cut. The caller
 * checks the stream for errors.
 */
#include "footer.h"
#include "footer-pages.h"
#include "freed-list.h"
#include "histogram.h"
#include "human.h"
#include "own-rows.h"
#include "table-cells.h"
#include "table-columns.h"
#include "text.h"
#include "top-sites.h"
#include "writer.h"

#include <inttypes.h>
#include <string.h>

/* Limit of rows that are compared to find out whether names repeat */
#define MAX_TITLES		50

/* A sum below 0 of rows that are not shown is told from this one on. */
#define LEAST_HIDDEN		(1 << 20)

/* Limit of the callsites below a table of processes */
#define SITES_LIMIT		10

/* The same if there are two such tables */
#define SITES_LIMIT_EACH	5

#define BOLD	"\033[1m"
#define DIM	"\033[2m"
#define PLAIN	"\033[0m"

/* Whether two of the first rows have one name and different command lines. */
static bool needs_titles(const struct mp_out *out)
{
	const struct mp_row *rows[MAX_TITLES], *row;
	const char *title;
	size_t i, nr = 0;

	if (out->kind != MP_ROW_PROCESS || !out->profile->titles.nr)
		return false;
	for (row = mp_out_next(out, out->profile->rows); row && nr < MAX_TITLES &&
	     (!out->limit || nr < out->limit); row = mp_out_next(out, row + 1)) {
		title = mp_table_title(out, row);
		for (i = 0; title && i < nr; i++)
			if (!strcmp(rows[i]->comm, row->comm) && mp_table_title(out, rows[i]) &&
			    strcmp(mp_table_title(out, rows[i]), title))
				return true;
		rows[nr++] = row;
	}
	return false;
}

static void print_cell(struct mp_out *out, int i, int column, const char *cell)
{
	int pad = (int)out->width[i] - (int)mp_text_width(cell);
	bool left = column == MP_COLUMN_COMM || column == MP_COLUMN_CGROUP ||
		    column == MP_COLUMN_HOST || column == MP_COLUMN_LOCATION ||
		    column == MP_COLUMN_TITLE;

	/* text in the last column needs no padding on its right */
	if ((column == MP_COLUMN_LOCATION || column == MP_COLUMN_TITLE) &&
	    mp_table_column(out, i + 1) == MP_COLUMN_END)
		pad = 0;
	fprintf(out->file, "%s%*s%s%*s", i ? "  " : "", left ? 0 : pad, "",
		cell, left ? pad : 0, "");
}

static void widen(struct mp_out *out, int i, const char *cell)
{
	size_t width = mp_text_width(cell);

	if (width > out->width[i])
		out->width[i] = width;
}

static void measure(struct mp_out *out)
{
	const struct mp_row *row;
	struct mp_total total;
	char cell[MP_CELL_SIZE];
	int i, column;
	size_t nr;

	mp_profile_total(out->profile, out->kind, &total);
	for (i = 0; (column = mp_table_column(out, i)) != MP_COLUMN_END; i++) {
		out->width[i] = strlen(mp_table_heading(out, column));
		mp_table_total_cell(cell, out, column, &total);
		widen(out, i, cell);
		row = mp_out_next(out, out->profile->rows);
		for (nr = 0; row && (!out->limit || nr < out->limit); nr++) {
			mp_table_row_cell(cell, out, column, row);
			widen(out, i, cell);
			row = mp_out_next(out, row + 1);
		}
	}
}

/* Whether rows are those of one machine each, of several. */
static bool shows_hosts(const struct mp_out *out)
{
	const struct mp_row *row;

	if (out->by_host || out->profile->hosts.nr < 2)
		return false;
	row = mp_out_next(out, out->profile->rows);
	while (row && !row->host)
		row = mp_out_next(out, row + 1);
	return row;
}

static void table_begin(struct mp_out *out)
{
	int i, column;

	if (out->headline)
		fprintf(out->file, "%s%s%s\n\n", out->colour ? BOLD : "", out->headline,
			out->colour ? PLAIN : "");
	out->titled = needs_titles(out);
	out->has_hosts = shows_hosts(out);
	measure(out);
	if (out->colour)
		fputs(BOLD, out->file);
	for (i = 0; (column = mp_table_column(out, i)) != MP_COLUMN_END; i++)
		print_cell(out, i, column, mp_table_heading(out, column));
	fprintf(out->file, "%s\n", out->colour ? PLAIN : "");
}

/* Writes the functions of a stack, innermost first, including wrappers. */
static void print_stack(const struct mp_out *out, const struct mp_row *row)
{
	struct mp_call_point points[MP_CALL_DEPTH];
	size_t i, callsite, nr = row->location.stack ?
		mp_call_points(out->profile, &row->location, points,
			       &callsite) : 0;
	char text[MP_LOCATION_TEXT_SIZE];

	for (i = 0; i < nr; i++) {
		mp_location_point(out->profile, &points[i], text);
		fprintf(out->file, "      %s %s\n", i == callsite ? ">" : " ",
			text);
	}
}

/* Writes the callsites of a cgroup with the highest values, indented. */
static void print_top(struct mp_out *out, const struct mp_row *cgroup)
{
	static const enum mp_metric blocks[] = {
		MP_INUSE_SPACE, MP_PEAK_SPACE, MP_ALLOC_OBJECTS,
	};
	static const enum mp_metric pages[] = { MP_GROWTH, MP_TOUCHED, MP_FAULTS };
	const enum mp_metric *shown = pages;
	const struct mp_row *rows[MP_MAX_TOP];
	size_t i, j, nr = mp_out_top(out, cgroup, rows);
	char cell[MP_CELL_SIZE];

	for (i = 0; i < nr; i++)
		if (rows[i]->value[MP_ALLOC_OBJECTS])
			shown = blocks;
	for (i = 0; i < nr; i++) {
		fputs("   ", out->file);
		for (j = 0; j < 3; j++)
			fprintf(out->file, " %s %-6s",
				mp_metrics[shown[j]].heading,
				mp_human_metric(cell, shown[j],
						rows[i]->value[shown[j]],
						out->exact));
		mp_location_row(out->profile, rows[i], cell);
		fprintf(out->file, " %s  %s\n", rows[i]->comm[0] ?
			rows[i]->comm : "-", cell);
	}
}

static void table_row(struct mp_out *out, const struct mp_row *row)
{
	bool dim = out->colour && row->flags & (MP_ROW_EXITED | MP_ROW_FOLDED);
	char cell[MP_CELL_SIZE];
	int i, column;

	if (dim)
		fputs(DIM, out->file);
	for (i = 0; (column = mp_table_column(out, i)) != MP_COLUMN_END; i++) {
		mp_table_row_cell(cell, out, column, row);
		print_cell(out, i, column, cell);
	}
	fprintf(out->file, "%s\n", dim ? PLAIN : "");
	if (row->kind == MP_ROW_STACK)
		print_stack(out, row);
	print_top(out, row);
	if (out->histograms && row->location.histogram)
		mp_histogram_print(out->file, &out->profile->histograms[
					   row->location.histogram - 1]);
}

void mp_table_total(struct mp_out *out)
{
	struct mp_total total;
	char cell[MP_CELL_SIZE];
	int i, column;

	mp_profile_total(out->profile, out->kind, &total);
	if (out->colour)
		fputs(BOLD, out->file);
	for (i = 0; (column = mp_table_column(out, i)) != MP_COLUMN_END; i++) {
		mp_table_total_cell(cell, out, column, &total);
		print_cell(out, i, column, cell);
	}
	fprintf(out->file, "%s\n", out->colour ? PLAIN : "");
}

static bool has_column(const struct mp_out *out, enum mp_metric metric)
{
	int i, column;

	for (i = 0; (column = mp_table_column(out, i)) != MP_COLUMN_END; i++)
		if (column == (int)metric)
			return true;
	return false;
}

/*
 * Callsites that gave back memory of others have a GROWTH below 0, and are the last ones; where
 * another metric sorts, those that took most may be hidden. Without these, the rows that are
 * shown and their total do not seem to match.
 */
static int64_t hidden_growth(const struct mp_out *out)
{
	const struct mp_row *row = mp_out_next(out, out->profile->rows);
	uint64_t sum = 0;
	size_t nr = 0;

	for (; row && has_column(out, MP_GROWTH); row = mp_out_next(out, row + 1))
		if (++nr > out->limit)
			sum += row->value[MP_GROWTH];
	return (int64_t)sum;
}

/* What memprofctl and its collector grew by, if they are hidden: they are the last rows. */
static int64_t hidden_own(const struct mp_out *out)
{
	const struct mp_row *row = mp_out_next(out, out->profile->rows);
	int64_t sum = 0;
	size_t nr = 0;

	for (; row; row = mp_out_next(out, row + 1))
		if (++nr > out->limit && mp_own_is_collector(&out->profile->meta, row) &&
		    !(row->flags & MP_ROW_EXITED))
			sum += (int64_t)row->value[MP_RESIDENT_DELTA];
	return sum;
}

static void print_hidden(const struct mp_out *out)
{
	const int64_t own = out->kind == MP_ROW_PROCESS && out->sort == MP_RESIDENT_DELTA ?
			    hidden_own(out) : 0;
	const int64_t growth = out->kind == MP_ROW_SITE ? hidden_growth(out) : 0;
	char text[MP_HUMAN_SIZE];

	fprintf(out->file, "... and %zu more", out->nr_hidden);
	if (growth >= LEAST_HIDDEN)
		fprintf(out->file, ", with GROWTH of %s",
			mp_human_bytes(text, (uint64_t)growth));
	else if (growth <= -LEAST_HIDDEN)
		fprintf(out->file, ", with GROWTH of -%s: they gave back more than they took",
			mp_human_bytes(text, -(uint64_t)growth));
	if (own > 0)
		fprintf(out->file, ", the last of them memprof's own processes with DELTA %s",
			mp_human_bytes(text, (uint64_t)own));
	fputs(" (-n 0 shows all)\n", out->file);
}

/* Whether rows that grew less stand above others: then a person has to be told why. */
static bool is_out_of_order(const struct mp_out *out)
{
	const struct mp_row *row = mp_out_next(out, out->profile->rows);
	int64_t least = INT64_MAX, grown;
	size_t nr = 0;

	for (; row && (!out->limit || nr++ < out->limit); row = mp_out_next(out, row + 1)) {
		grown = (int64_t)row->value[MP_RESIDENT_DELTA];
		if (row->flags & MP_ROW_EXITED || mp_own_is_collector(&out->profile->meta, row))
			continue;
		if (grown > least)
			return true;
		least = grown;
	}
	return false;
}

static void print_order(const struct mp_out *out)
{
	if (out->sort != MP_RESIDENT_DELTA || !is_out_of_order(out))
		return;
	if (out->kind == MP_ROW_PROCESS)
		fputs("(what keeps running, and has more than ever before, comes first)\n",
		      out->file);
	else if (out->kind == MP_ROW_CGROUP)
		fputs("(sorted by the growth of processes that keep running)\n",
		      out->file);
}

static void print_total(struct mp_out *out)
{
	if (out->nr_hidden)
		print_hidden(out);
	print_order(out);
	mp_table_total(out);
	putc('\n', out->file);
}

/* Bytes that were mapped or unmapped without being touched there, and deserve a row */
#define LEAST_GROWTH	(1 << 20)

static bool is_shown(const struct mp_out *sites, const struct mp_row *row)
{
	const int64_t growth = (int64_t)row->value[MP_GROWTH];

	return row->value[sites->sort] ||
	       (sites->sort == MP_TOUCHED && (growth >= LEAST_GROWTH || growth <= -LEAST_GROWTH)) ||
	       (sites->sort == MP_GROWTH && row->value[MP_TOUCHED] >= LEAST_GROWTH) ||
	       (sites->view == MP_VIEW_FRAGMENTATION && row->value[MP_FREED_RESIDENT]);
}

/* Number of callsites with live bytes, bytes at the peak, or what else is shown; at least 1. */
static size_t count_sites(const struct mp_out *sites)
{
	const struct mp_row *row = mp_out_next(sites, sites->profile->rows);
	size_t nr;

	for (nr = 0; row && is_shown(sites, row); nr++)
		row = mp_out_next(sites, row + 1);
	return nr ? nr : 1;
}

static void print_sites_by(const struct mp_out *out, enum mp_metric sort)
{
	const size_t most = out->sites_live ? SITES_LIMIT_EACH : SITES_LIMIT;
	struct mp_out sites = *out;
	size_t nr;

	sites.profile = out->sites;
	sites.kind = MP_ROW_SITE;
	sites.titled = false;
	sites.headline = NULL;
	sites.sort = sort;
	if (!mp_out_next(&sites, sites.profile->rows))
		return;
	nr = count_sites(&sites);
	if (out->limit)
		sites.limit = out->sites_limit ?: nr < most ? nr : most;
	memset(sites.width, 0, sizeof(sites.width));
	mp_out_rows(&sites);
	print_total(&sites);
}

/* Whether a callsite with many unfreed blocks had few of them at the peak: it is not shown */
static bool is_left_hidden(const struct mp_out *out)
{
	const struct mp_row *row, *end = out->sites->rows + out->sites->nr_rows;
	uint64_t most = 2 * LEAST_GROWTH;

	for (row = out->sites->rows; row < end; row++)
		if (row->kind == MP_ROW_SITE && row->value[MP_AT_EXIT] > most)
			most = row->value[MP_AT_EXIT];
	for (row = out->sites->rows; row < end; row++)
		if (row->kind == MP_ROW_SITE && row->value[MP_AT_EXIT] >= most / 2 &&
		    row->value[MP_AT_PEAK] < row->value[MP_AT_EXIT] / 2)
			return out->ended && out->sites_sort == MP_AT_PEAK;
	return false;
}

static void print_left(const struct mp_out *out)
{
	fputs("and who had blocks at the end that were not freed:\n", out->file);
	mp_profile_sort(out->sites, MP_AT_EXIT);
	print_sites_by(out, MP_AT_EXIT);
}

/*
 * Writes the table of callsites below that of processes. If living blocks do not explain the
 * memory, the first one is of who had, touched or mapped it, and the second one of the blocks.
 */
static void print_sites(const struct mp_out *out)
{
	if (out->sites_live && out->sites_sort == MP_AT_PEAK)
		fputs("who had memory at the peak (most of it has been freed since):\n", out->file);
	else if (out->sites_live)
		fprintf(out->file, "who %s memory (most of it is in no block that lives):\n",
			out->sites_sort == MP_TOUCHED ? "touched" : "mapped");
	print_sites_by(out, out->sites_sort);
	if (!out->sites_live && is_left_hidden(out))
		print_left(out);
	if (!out->sites_live)
		return;
	fputs("and who has living blocks:\n", out->file);
	mp_profile_sort(out->sites, MP_INUSE_SPACE);
	print_sites_by(out, MP_INUSE_SPACE);
}

/* Exited processes, also those that are one row together. */
static size_t count_exited(const struct mp_out *out)
{
	const struct mp_row *row = mp_out_next(out, out->profile->rows);
	size_t nr = 0;

	for (; row; row = mp_out_next(out, row + 1))
		if (row->flags & MP_ROW_EXITED)
			nr += mp_row_is_sum(row) ? row->nr_processes : 1;
	return nr;
}

static void table_end(struct mp_out *out)
{
	const size_t nr_exited = count_exited(out);

	print_total(out);
	if (out->sites)
		print_sites(out);
	if (nr_exited && out->verbose)
		fprintf(out->file, "exited: %zu; the values that they had last are "
			"in brackets, and not in the total\n", nr_exited);
	if (out->view == MP_VIEW_RSS || out->view == MP_VIEW_SIZES)
		mp_footer_parts(out->file, out->profile, out->kind);
	if (mp_view_has_pages(out->view))
		mp_footer_pages(out->file, out->profile, out->kind,
				out->view == MP_VIEW_FRAGMENTATION);
	if (out->view == MP_VIEW_FRAGMENTATION)
		mp_freed_list(out->file, out->sites ?: out->profile);
	if (out->verbose)
		mp_footer_all(out->file, out->profile);
	else
		mp_footer_brief(out->file, out->profile, out->sites, nr_exited,
				out->ended ? MP_AT_PEAK : MP_INUSE_SPACE);
	if (out->hint)
		fprintf(out->file, "hint: %s\n", out->hint);
}

const struct mp_out_ops mp_table_ops = {
	.begin = table_begin,
	.row = table_row,
	.end = table_end,
};
