// SPDX-License-Identifier: GPL-2.0-only
/*
 * difference-table: writes differences with their sign
 *
 * A first pass over the rows measures the widths of the columns. The caller checks
 * the stream for errors.
 */
#include "difference-table.h"
#include "human.h"
#include "json-object.h"
#include "json.h"

#include <json-c/json.h>
#include <string.h>

#define MAX_COLUMNS	9
#define CELL_SIZE	64
#define NAME_SIZE	256

static const enum mp_metric shown[2][MAX_COLUMNS - 4] = {
	{ MP_RESIDENT, MP_INUSE_SPACE, MP_ALLOC_SPACE, MP_TOUCHED, MP_GROWTH },
	{ MP_INUSE_SPACE, MP_ALLOC_SPACE, MP_ALLOC_OBJECTS, MP_TOUCHED,
	  MP_GROWTH },
};

struct column {
	enum mp_metric metric;
	enum { DELTA, BEFORE, AFTER, NOISE } what;
	size_t width;
};

struct table {
	FILE *file;
	const struct mp_difference *difference;
	const struct mp_difference_view *view;
	struct column columns[MAX_COLUMNS];
	size_t nr;
	size_t comm_width;
};

/* Chooses the columns: metrics of the kind of rows, old and new sort value. */
static void choose_columns(struct table *table)
{
	const enum mp_metric *metrics = shown[table->view->kind == MP_ROW_SITE];
	enum mp_metric sort = table->view->sort;
	bool found = false;
	size_t i;

	for (i = 0; i < MAX_COLUMNS - 4; i++) {
		enum mp_metric metric = table->view->ended && metrics[i] == MP_INUSE_SPACE ?
					MP_AT_PEAK : metrics[i];

		table->columns[table->nr++].metric = metric;
		found |= metric == sort;
	}
	if (!found)
		table->columns[table->nr++].metric = sort;
	table->columns[table->nr++] = (struct column){ sort, BEFORE, 0 };
	table->columns[table->nr++] = (struct column){ sort, AFTER, 0 };
	if (table->view->noise)
		table->columns[table->nr++] = (struct column){ sort, NOISE, 0 };
}

static bool differs(const struct table *table, const struct mp_difference_row *row)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		if (mp_difference_width(row, table->columns[i].metric))
			return true;
	return false;
}

void mp_difference_table_drop(struct mp_difference *difference,
			      const struct mp_difference_view *view)
{
	struct table table = { .view = view };
	size_t i, kept = 0;

	choose_columns(&table);
	for (i = 0; i < difference->nr; i++)
		if (differs(&table, &difference->rows[i]))
			difference->rows[kept++] = difference->rows[i];
	difference->nr = kept;
}

static void cell_of(const struct table *table, const struct column *column,
		    const struct mp_difference_row *row, char *cell)
{
	int64_t delta = mp_difference_of(row, column->metric);
	bool exact = table->view->exact;
	char text[MP_HUMAN_SIZE];

	switch (column->what) {
	case BEFORE:
		mp_human_metric(cell, column->metric,
				row->before[column->metric], exact);
		break;
	case AFTER:
		mp_human_metric(cell, column->metric,
				row->after[column->metric], exact);
		break;
	case NOISE:
		mp_human_metric(cell, column->metric,
				row->noise[column->metric], exact);
		break;
	default:
		mp_human_metric(text, column->metric,
				mp_difference_width(row, column->metric), exact);
		snprintf(cell, CELL_SIZE, "%s%s", delta < 0 ? "-" :
			 delta ? "+" : "", text);
	}
	if (row == &table->difference->sum &&
	    mp_metrics[column->metric].nature == MP_PEAK)
		snprintf(cell, CELL_SIZE, "-");
}

static void heading_of(const struct column *column, char *cell)
{
	static const char * const prefixes[] = {
		[DELTA] = "", [BEFORE] = "OLD ", [AFTER] = "NEW ", [NOISE] = "NOISE ",
	};

	snprintf(cell, CELL_SIZE, "%s%s", prefixes[column->what],
		 mp_metrics[column->metric].heading);
}

static size_t nr_rows(const struct table *table)
{
	size_t nr = table->difference->nr, limit = table->view->limit;

	return limit && limit < nr ? limit : nr;
}

static void widen(struct column *column, const char *cell)
{
	if (strlen(cell) > column->width)
		column->width = strlen(cell);
}

static void measure(struct table *table)
{
	char cell[CELL_SIZE];
	size_t i, row;

	for (i = 0; i < table->nr; i++) {
		heading_of(&table->columns[i], cell);
		widen(&table->columns[i], cell);
		for (row = 0; row < nr_rows(table); row++) {
			cell_of(table, &table->columns[i],
				&table->difference->rows[row], cell);
			widen(&table->columns[i], cell);
		}
		cell_of(table, &table->columns[i], &table->difference->sum,
			cell);
		widen(&table->columns[i], cell);
	}
}

/* The sums are those of all rows, also of those that are no rows here. */
static void print_total_name(const struct table *table)
{
	const size_t nr = table->difference->nr;

	if (table->view->noise)
		fprintf(table->file, "total of all; %zu differ%s by more than the noise\n", nr,
			nr == 1 ? "s" : "");
	else
		fprintf(table->file, "total: %zu differ\n", nr);
}

static void print_row(const struct table *table,
		      const struct mp_difference_row *row)
{
	const struct mp_names *names = &table->difference->names;
	char cell[CELL_SIZE], name[NAME_SIZE];
	size_t i;

	for (i = 0; i < table->nr; i++) {
		cell_of(table, &table->columns[i], row, cell);
		fprintf(table->file, "%*s  ", (int)table->columns[i].width,
			cell);
	}
	if (row == &table->difference->sum)
		print_total_name(table);
	else if (row->name == MP_NAMES_NONE)
		fprintf(table->file, "%s\n", names->list[row->comm]);
	else {
		mp_difference_text(table->difference, row, table->view->sort, name, sizeof(name));
		fprintf(table->file, "%-*s  %s\n", (int)table->comm_width,
			names->list[row->comm], name);
	}
}

/* Finds the width of the names of commands in the rows that are shown. */
static void measure_comms(struct table *table)
{
	const struct mp_difference *difference = table->difference;
	size_t i, width;

	table->comm_width = strlen("COMM");
	for (i = 0; i < nr_rows(table); i++) {
		width = strlen(difference->names.list[difference->rows[i].comm]);
		if (width > table->comm_width)
			table->comm_width = width;
	}
}

/* Bytes of growth that deserve a word */
#define MIN_GROWTH	(1 << 20)

/* Whether it still grows: LIVE is also less if it was followed for less time. */
static void print_growth(const struct table *table)
{
	const struct mp_difference_view *view = table->view;
	char grown[2][MP_HUMAN_SIZE], times[2][MP_HUMAN_SIZE];
	int i;

	if (view->sort != MP_INUSE_SPACE || !view->grown[0] || !view->grown[1] ||
	    (view->grown[0] < MIN_GROWTH && view->grown[1] < MIN_GROWTH))
		return;
	for (i = 0; i < 2; i++) {
		mp_human_metric(grown[i], MP_RESIDENT_DELTA, (uint64_t)view->grown[i], false);
		mp_human_span(times[i], view->ns[i]);
	}
	fprintf(table->file, "; RSS %s by %s in %s, and by %s in %s before",
		view->grown[0] > 0 && view->grown[1] > 0 ? "grew" : "changed", grown[1],
		times[1], grown[0], times[0]);
}

/* The row with the largest change, where that of the sum is within the noise */
static void print_first(const struct table *table, const char *sum_before, const char *sum_after)
{
	const struct mp_difference_row *first = table->difference->rows;
	const enum mp_metric sort = table->view->sort;
	const struct column columns[] = { { sort, BEFORE, 0 }, { sort, AFTER, 0 }, { sort, DELTA, 0 } };
	char change[CELL_SIZE], before[CELL_SIZE], after[CELL_SIZE], name[NAME_SIZE];

	cell_of(table, &columns[0], first, before);
	cell_of(table, &columns[1], first, after);
	cell_of(table, &columns[2], first, change);
	mp_difference_text(table->difference, first, sort, name, sizeof(name));
	fprintf(table->file, "%s of %s is %s %s than before (%s, was %s); that of all (%s, was %s) differs by no more than the noise",
		mp_metrics[sort].heading, name, change + 1,
		mp_difference_of(first, sort) > 0 ? "more" : "less", after, before, sum_after,
		sum_before);
	print_growth(table);
	fputs("\n\n", table->file);
}

/* A metric that has not changed, which the sentence would have been about */
static void print_same(const struct table *table)
{
	const enum mp_metric same = table->view->same;
	const struct column columns[] = { { same, BEFORE, 0 }, { same, AFTER, 0 } };
	char before[CELL_SIZE], after[CELL_SIZE];

	cell_of(table, &columns[0], &table->difference->sum, before);
	cell_of(table, &columns[1], &table->difference->sum, after);
	fprintf(table->file, "%s differs by no more than the noise (%s, was %s); ",
		mp_metrics[same].heading, after, before);
}

/* The answer first: the change of the sum, and the row with the largest one */
static void print_sentence(const struct table *table)
{
	const struct mp_difference *difference = table->difference;
	const enum mp_metric sort = table->view->sort;
	const struct mp_difference_row *sum = &difference->sum, *first = difference->rows;
	const int64_t delta = mp_difference_of(sum, sort);
	char change[CELL_SIZE], before[CELL_SIZE], after[CELL_SIZE], name[NAME_SIZE];
	const struct column columns[] = { { sort, BEFORE, 0 }, { sort, AFTER, 0 }, { sort, DELTA, 0 } };

	/* peaks of rows do not add up */
	if (mp_metrics[sort].nature == MP_PEAK)
		return;
	if (table->view->same)
		print_same(table);
	cell_of(table, &columns[0], sum, before);
	cell_of(table, &columns[1], sum, after);
	cell_of(table, &columns[2], sum, change);
	if (table->view->noise && !(difference->nr && mp_difference_of(first, sort))) {
		if (mp_difference_width(sum, sort) / 5 * 2 > sum->noise[sort])
			fprintf(table->file, "%s is %s %s than before (%s, was %s), but no row alone differs by more than the noise",
				mp_metrics[sort].heading, change + 1, delta > 0 ? "more" : "less",
				after, before);
		else
			fprintf(table->file, "no row differs by more than the noise: %s is %s in all, and was %s",
				mp_metrics[sort].heading, after, before);
		print_growth(table);
		fputs("\n\n", table->file);
		return;
	}
	if (table->view->noise && mp_difference_width(sum, sort) <= sum->noise[sort]) {
		print_first(table, before, after);
		return;
	}
	fprintf(table->file, "%s is ", mp_metrics[sort].heading);
	if (delta)
		fprintf(table->file, "%s %s than before (%s, was %s)", change + 1,
			delta > 0 ? "more" : "less", after, before);
	else
		fprintf(table->file, "the same as before (%s)", after);
	if (difference->nr && mp_difference_of(first, sort)) {
		cell_of(table, &columns[2], first, change);
		mp_difference_text(difference, first, sort, name, sizeof(name));
		fprintf(table->file, "; the largest difference is %s in %s", change, name);
	}
	print_growth(table);
	fputs("\n\n", table->file);
}

void mp_difference_table(FILE *file, const struct mp_difference *difference,
			 const struct mp_difference_view *view)
{
	struct table table = {
		.file = file, .difference = difference, .view = view,
	};
	char cell[CELL_SIZE];
	size_t i;

	choose_columns(&table);
	measure(&table);
	measure_comms(&table);
	print_sentence(&table);
	for (i = 0; i < table.nr; i++) {
		heading_of(&table.columns[i], cell);
		fprintf(file, "%*s  ", (int)table.columns[i].width, cell);
	}
	if (view->kind == MP_ROW_SITE)
		fprintf(file, "%-*s  CALLSITE\n", (int)table.comm_width, "COMM");
	else
		fputs("COMM\n", file);
	for (i = 0; i < nr_rows(&table); i++)
		print_row(&table, &difference->rows[i]);
	if (i < difference->nr)
		fprintf(file, "... and %zu more (-n 0 shows all)\n",
			difference->nr - i);
	print_row(&table, &difference->sum);
}

static void add_values(struct json_object *line,
		       const struct mp_difference_row *row, bool with_peaks,
		       bool with_noise)
{
	struct json_object *before = json_object_new_object();
	struct json_object *after = json_object_new_object();
	struct json_object *delta = json_object_new_object();
	struct json_object *noise = with_noise ? json_object_new_object() : NULL;
	int i;

	for (i = 0; i < MP_NR_METRICS; i++) {
		if ((!row->before[i] && !row->after[i]) ||
		    (!with_peaks && mp_metrics[i].nature == MP_PEAK))
			continue;
		mp_json_add_metric(before, i, row->before[i]);
		mp_json_add_metric(after, i, row->after[i]);
		mp_json_add(delta, mp_metrics[i].key, json_object_new_int64(
			mp_difference_of(row, i)));
		if (noise)
			mp_json_add_metric(noise, i, row->noise[i]);
	}
	mp_json_add(line, "before", before);
	mp_json_add(line, "after", after);
	mp_json_add(line, "delta", delta);
	if (noise)
		mp_json_add(line, "noise", noise);
}

void mp_difference_json(FILE *file, const struct mp_difference *difference,
			const struct mp_difference_view *view)
{
	const struct mp_difference_row *row;
	struct json_object *line;
	size_t i, nr = view->limit && view->limit < difference->nr ?
		       view->limit : difference->nr;

	for (i = 0; i < nr; i++) {
		row = &difference->rows[i];
		line = mp_json_open("difference");
		mp_json_add_text(line, "comm", difference->names.list[row->comm]);
		if (row->name != MP_NAMES_NONE)
			mp_json_add_text(line, "callsite",
					 difference->names.list[row->name]);
		add_values(line, row, true, view->noise);
		mp_json_close(file, line);
	}
	line = mp_json_open("summary");
	mp_json_add_number(line, "rows", nr);
	mp_json_add_number(line, "rows_hidden", difference->nr - nr);
	add_values(line, &difference->sum, false, view->noise);
	mp_json_close(file, line);
}
