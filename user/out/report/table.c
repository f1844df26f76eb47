// SPDX-License-Identifier: GPL-2.0-only
/*
 * table: writes a report as a table
 *
 * The first pass over the rows measures the widths of the columns, and the second
 * pass prints. Nothing is allocated. Cells that are too long are cut. The caller
 * checks the stream for errors.
 */
#include "cgroup-short.h"
#include "footer.h"
#include "footer-pages.h"
#include "freed-list.h"
#include "histogram.h"
#include "human.h"
#include "writer.h"
#include "location-text.h"
#include "text.h"
#include "top-sites.h"

#include <inttypes.h>
#include <string.h>

/* Numbers of columns that are not metrics. */
enum {
	COLUMN_PID = -1,
	COLUMN_COMM = -2,
	COLUMN_CGROUP = -3,
	COLUMN_NPROC = -4,
	COLUMN_LOCATION = -5,
	COLUMN_RATE = -6,
	COLUMN_TITLE = -7,
	COLUMN_HOST = -8,
	COLUMN_END = -9,
};

#define SITE_COLUMNS {							\
	MP_INUSE_SPACE, MP_INUSE_DELTA, MP_PEAK_SPACE, MP_ALLOC_OBJECTS,	\
	MP_TEMPORARY_OBJECTS, MP_GROWTH, MP_FAULTS, COLUMN_PID,		\
	COLUMN_COMM, COLUMN_LOCATION, COLUMN_END,				\
}

#define PAGE_COLUMNS							\
	MP_RESIDENT, MP_INUSE_SPACE, MP_BLOCK_RESIDENT, MP_BLOCK_HUGE, MP_COLD,	\
	MP_BLOCK_SWAPPED, MP_BLOCK_UNTOUCHED, MP_BLAME

#define HELD_COLUMNS							\
	MP_HELD_PAGES, MP_HELD_TOP, MP_HELD_ARENA, MP_HELD_EMPTY

#define NODE_COLUMNS							\
	MP_NODE_0, MP_NODE_1, MP_NODE_2, MP_NODE_3, MP_NODE_4, MP_NODE_5,	\
	MP_NODE_6, MP_NODE_7

#define FILL_COLUMNS							\
	MP_FILL_5, MP_FILL_10, MP_FILL_25, MP_FILL_50, MP_FILL_75, MP_FILL_100

static const int columns[MP_NR_VIEWS][MP_NR_ROW_KINDS][MP_OUT_MAX_COLUMNS] = {
	[MP_VIEW_GROWTH] = {
		[MP_ROW_PROCESS] = {
			COLUMN_PID, COLUMN_COMM, COLUMN_CGROUP, MP_RESIDENT,
			MP_RESIDENT_DELTA, COLUMN_RATE, MP_RESIDENT_ANON,
			MP_MINOR_FAULTS, MP_MAJOR_FAULTS, MP_TOUCHED,
			MP_GROWTH, MP_GROWTH_PEAK, MP_RELEASED, COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			COLUMN_CGROUP, COLUMN_NPROC, MP_RESIDENT,
			MP_RESIDENT_DELTA, COLUMN_RATE, MP_RESIDENT_ANON,
			MP_MINOR_FAULTS, MP_MAJOR_FAULTS, MP_TOUCHED,
			MP_GROWTH, MP_GROWTH_PEAK, MP_RELEASED, COLUMN_END,
		},
		[MP_ROW_SITE] = {
			MP_TOUCHED, MP_GROWTH, MP_RELEASED, MP_INUSE_SPACE, MP_FAULTS,
			MP_INSIDE_FAULTS, MP_BLOCK_FAULTS, MP_OTHER_FAULTS,
			COLUMN_PID, COLUMN_COMM,
			COLUMN_LOCATION, COLUMN_END,
		},
	},
	[MP_VIEW_ALLOC] = {
		[MP_ROW_PROCESS] = {
			COLUMN_PID, COLUMN_COMM, COLUMN_CGROUP, MP_RESIDENT,
			MP_PEAK_RESIDENT, MP_RESIDENT_DELTA, MP_INUSE_SPACE,
			MP_INUSE_DELTA, MP_PEAK_SPACE, MP_ALLOC_OBJECTS,
			MP_ALLOC_SPACE, MP_TEMPORARY_OBJECTS, MP_GROWTH,
			MP_TOUCHED, COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			COLUMN_CGROUP, COLUMN_NPROC, MP_INUSE_SPACE, MP_INUSE_DELTA,
			MP_PEAK_SPACE, MP_GROWTH, MP_FAULTS, MP_RESIDENT,
			MP_RESIDENT_DELTA, MP_CGROUP_CURRENT, MP_CGROUP_PEAK, COLUMN_END,
		},
		[MP_ROW_SITE] = SITE_COLUMNS,
	},
	[MP_VIEW_RSS] = {
		[MP_ROW_PROCESS] = {
			COLUMN_PID, COLUMN_COMM, COLUMN_CGROUP, MP_RESIDENT,
			MP_LIVE_RESIDENT, MP_HELD, MP_STACKS, MP_FILE_MAPPED,
			MP_SHMEM_MAPPED, MP_UNATTRIBUTED, COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			COLUMN_CGROUP, COLUMN_NPROC, MP_RESIDENT,
			MP_LIVE_RESIDENT, MP_HELD, MP_STACKS, MP_FILE_MAPPED,
			MP_SHMEM_MAPPED, MP_UNATTRIBUTED, MP_PROPORTIONAL,
			MP_CGROUP_CURRENT, MP_CGROUP_REST, MP_CGROUP_PEAK,
			COLUMN_END,
		},
		[MP_ROW_SITE] = SITE_COLUMNS,
	},
	[MP_VIEW_AGE] = {
		[MP_ROW_PROCESS] = {
			COLUMN_PID, COLUMN_COMM, COLUMN_CGROUP, MP_RESIDENT,
			MP_RESIDENT_DELTA, MP_INUSE_SPACE, MP_INUSE_DELTA, MP_OLD_SPACE,
			MP_INUSE_OBJECTS,
			MP_ALLOC_OBJECTS, MP_FREE_OBJECTS, COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			COLUMN_CGROUP, COLUMN_NPROC, MP_RESIDENT,
			MP_RESIDENT_DELTA, MP_INUSE_SPACE, MP_INUSE_DELTA, MP_OLD_SPACE,
			MP_INUSE_OBJECTS,
			MP_ALLOC_OBJECTS, MP_FREE_OBJECTS, COLUMN_END,
		},
		[MP_ROW_SITE] = {
			MP_INUSE_SPACE, MP_INUSE_DELTA, MP_OLD_SPACE, MP_INUSE_OBJECTS,
			MP_ALLOC_OBJECTS,
			MP_FREE_OBJECTS, COLUMN_PID, COLUMN_COMM, COLUMN_LOCATION, COLUMN_END,
		},
	},
	[MP_VIEW_RESIDENT] = {
		[MP_ROW_PROCESS] = {
			COLUMN_PID, COLUMN_COMM, COLUMN_CGROUP, PAGE_COLUMNS, HELD_COLUMNS,
			NODE_COLUMNS, COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			COLUMN_CGROUP, COLUMN_NPROC, PAGE_COLUMNS, HELD_COLUMNS,
			NODE_COLUMNS, COLUMN_END,
		},
		[MP_ROW_SITE] = {
			MP_BLAME, MP_INUSE_SPACE, MP_BLOCK_RESIDENT, MP_BLOCK_HUGE, MP_COLD,
			MP_BLOCK_SWAPPED, MP_BLOCK_UNTOUCHED, MP_PINNED, NODE_COLUMNS,
			COLUMN_PID, COLUMN_COMM, COLUMN_LOCATION, COLUMN_END,
		},
	},
	[MP_VIEW_FRAGMENTATION] = {
		[MP_ROW_PROCESS] = {
			COLUMN_PID, COLUMN_COMM, COLUMN_CGROUP, MP_RESIDENT,
			MP_BLAME, MP_PINNED, MP_HELD_PAGES, FILL_COLUMNS, COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			COLUMN_CGROUP, COLUMN_NPROC, MP_RESIDENT, MP_BLAME,
			MP_PINNED, MP_HELD_PAGES, FILL_COLUMNS, COLUMN_END,
		},
		[MP_ROW_SITE] = {
			MP_PINNED, MP_BLAME, MP_BLOCK_RESIDENT, MP_FREED_RESIDENT, FILL_COLUMNS,
			COLUMN_PID, COLUMN_COMM, COLUMN_LOCATION, COLUMN_END,
		},
	},
	[MP_VIEW_SIZES] = {
		[MP_ROW_PROCESS] = {
			COLUMN_PID, COLUMN_COMM, COLUMN_CGROUP, MP_RESIDENT,
			MP_HEAP_RESIDENT, MP_STACKS, MP_FILE_MAPPED,
			MP_SHMEM_MAPPED, MP_UNATTRIBUTED, COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			COLUMN_CGROUP, COLUMN_NPROC, MP_RESIDENT,
			MP_HEAP_RESIDENT, MP_STACKS, MP_FILE_MAPPED,
			MP_SHMEM_MAPPED, MP_UNATTRIBUTED, MP_PROPORTIONAL,
			MP_CGROUP_CURRENT, MP_CGROUP_REST, MP_CGROUP_PEAK,
			COLUMN_END,
		},
		[MP_ROW_SITE] = SITE_COLUMNS,
	},
};

/* Callsites of processes that have exited, where nothing lives any more */
static const int ended_columns[MP_OUT_MAX_COLUMNS] = {
	MP_AT_PEAK, MP_AT_EXIT, MP_INUSE_SPACE, MP_ALLOC_OBJECTS, MP_TEMPORARY_OBJECTS, MP_GROWTH,
	MP_FAULTS, COLUMN_PID, COLUMN_COMM, COLUMN_LOCATION, COLUMN_END,
};

/* Limit of a path's width. Its begin is cut, because its end identifies the cgroup. */
#define MAX_CGROUP_WIDTH	32
#define MAX_CGROUP_WIDTH_ALONE	56
#define CELL_SIZE		MP_LOCATION_TEXT_SIZE

/* Limit of a command line's width; it is the last column */
#define MAX_TITLE_WIDTH		60

/* Limit of rows that are compared to find out whether names repeat */
#define MAX_TITLES		50

/* Limit of the callsites below a table of processes */
#define SITES_LIMIT		10

/* The same if there are two such tables */
#define SITES_LIMIT_EACH	5

#define BOLD	"\033[1m"
#define DIM	"\033[2m"
#define PLAIN	"\033[0m"

static const int *columns_of(const struct mp_out *out)
{
	const enum mp_row_kind kind = out->kind == MP_ROW_STACK ? MP_ROW_SITE : out->kind;

	return out->ended && kind == MP_ROW_SITE && out->view != MP_VIEW_AGE ? ended_columns :
	       columns[out->view][kind];
}

/* Whether a column has no numbers, because its events are not followed. */
static bool is_empty(const struct mp_out *out, int column)
{
	const struct mp_meta *meta = &out->profile->meta;
	const uint32_t streams = meta->status.streams;

	/* of what has ended or has no blocks: of a process that runs, its end is not yet known */
	if (out->ended && out->kind != MP_ROW_PROCESS && out->view != MP_VIEW_AGE &&
	    (column == MP_AT_EXIT || column == MP_INUSE_SPACE))
		return (column == MP_AT_EXIT) == out->runs;
	if (column == MP_RESIDENT_DELTA || column == COLUMN_RATE)
		return !out->has_delta;
	if (column == MP_INUSE_DELTA)
		return !out->has_live_delta;
	if (out->view == MP_VIEW_GROWTH && out->has_no_blocks &&
	    (column == MP_INUSE_SPACE || column == MP_INSIDE_FAULTS ||
	     column == MP_BLOCK_FAULTS || column == MP_OTHER_FAULTS))
		return true;
	if (column == MP_COLD)
		return !meta->cold.least_ns;
	if (column == MP_FREED_RESIDENT)
		return !out->has_freed;
	if (column == MP_BLOCK_HUGE)
		return !out->has_huge;
	if (column >= MP_NODE_0 && column <= MP_NODE_7)
		return !(out->nodes >> (column - MP_NODE_0) & 1);
	/* what samples do not know; with each block known, the sum is not a column of its own */
	if (mp_view_has_pages(out->view) && column >= MP_HELD_TOP && column <= MP_FILL_100)
		return meta->alloc.rate > 1;
	if (mp_view_has_pages(out->view) && column == MP_PINNED)
		return meta->alloc.rate > 1;
	if (column == MP_HELD_PAGES && out->view == MP_VIEW_RESIDENT)
		return meta->alloc.rate <= 1;
	/* the library sees its samples only, the module each call */
	if (column == MP_TEMPORARY_OBJECTS)
		return meta->alloc.rate > 1 && meta->source != MP_SOURCE_KMOD;
	if (out->view != MP_VIEW_ALLOC)
		return false;
	/* of what has ended, the size that was read last says little */
	if (column == MP_PEAK_RESIDENT)
		return !out->ended;
	return (column == MP_GROWTH && !(streams & MEMPROF_START_GROWTH)) ||
	       ((column == MP_FAULTS || column == MP_TOUCHED) &&
		!(streams & MEMPROF_START_FAULTS));
}

/* Whether the metric that rows are sorted by is among the columns of the view. */
static bool has_sort(const struct mp_out *out)
{
	const int *column;

	for (column = columns_of(out); *column != COLUMN_END; column++)
		if (*column == (int)out->sort && !is_empty(out, *column))
			return true;
	return false;
}

/* Whether a column has the machine on its left. */
static bool has_host(const struct mp_out *out, int column)
{
	return out->has_hosts && column == (out->kind == MP_ROW_CGROUP ? COLUMN_CGROUP : COLUMN_PID);
}

/*
 * Returns the column at index @i. If the sort metric is not among the columns of the
 * view, it is the first one of callsites, which end with long names, and else follows
 * them. Titles are last.
 */
static int column_at(const struct mp_out *out, int i)
{
	const bool added = !has_sort(out);
	const bool first = out->kind == MP_ROW_SITE || out->kind == MP_ROW_STACK;
	const int *column;

	if (added && first && !i--)
		return (int)out->sort;
	for (column = columns_of(out); *column != COLUMN_END; column++) {
		if (has_host(out, *column) && !i--)
			return COLUMN_HOST;
		if (!is_empty(out, *column) && !i--)
			return *column;
	}
	if (added && !first && !i--)
		return (int)out->sort;
	return out->titled && !i ? COLUMN_TITLE : COLUMN_END;
}

size_t mp_table_metrics(const struct mp_out *out, enum mp_metric *metrics)
{
	size_t nr = 0;
	int i, column;

	for (i = 0; (column = column_at(out, i)) != COLUMN_END; i++)
		if (column >= 0)
			metrics[nr++] = column;
	return nr;
}

/* COLD and the nodes have columns only where they are known: then 0 is a number. */
static bool is_known(const struct mp_out *out, int column, const uint64_t *values)
{
	if (out->no_pages && ((column >= MP_BLOCK_RESIDENT && column <= MP_FILL_100) ||
			      column == MP_COLD))
		return false;
	return (column >= MP_COLD && column <= MP_NODE_7) || column == MP_FREED_RESIDENT ||
	       mp_metric_is_known((enum mp_metric)column, values);
}

static const char *heading(const struct mp_out *out, int column)
{
	switch (column) {
	case COLUMN_PID:
		return "PID";
	case COLUMN_HOST:
		return "HOST";
	case COLUMN_COMM:
		return "COMM";
	case COLUMN_CGROUP:
		return out->by_host ? "HOST" : "CGROUP";
	case COLUMN_NPROC:
		return "NPROC";
	case COLUMN_LOCATION:
		return "CALLSITE";
	case COLUMN_RATE:
		return "DELTA/S";
	case COLUMN_TITLE:
		return "TITLE";
	default:
		return mp_metrics[column].heading;
	}
}

static void comm_cell(char *cell, const struct mp_row *row)
{
	if (mp_row_has_location(row))
		snprintf(cell, CELL_SIZE, "%s", row->comm[0] ? row->comm : "-");
	else if (row->flags & MP_ROW_OVERFLOW)
		snprintf(cell, CELL_SIZE, "[table full]");
	else if (row->flags & MP_ROW_FOLDED)
		snprintf(cell, CELL_SIZE, row->comm[0] && row->nr_processes ?
			 "%s [%" PRIu32 " exited]" : "[exited, folded]",
			 row->comm, row->nr_processes);
	else
		snprintf(cell, CELL_SIZE, "%s%s", row->comm,
			 row->flags & MP_ROW_EXITED ? " [exited]" :
			 row->flags & MP_ROW_LEFT ? " [left]" : "");
}

/* Cuts a container's image, and then the begin, if a name is too wide. */
static void fit_path(char *cell, char *text, size_t most)
{
	char *image = strstr(text, " ("), *end = text;
	size_t width = mp_text_width(text);

	if (width > most && image && text[strlen(text) - 1] == ')') {
		*image = '\0';
		width = mp_text_width(text);
	}
	if (width <= most) {
		snprintf(cell, CELL_SIZE, "%.255s", text);
		return;
	}
	for (; width > most - 3; width--)
		for (end++; (*end & 0xc0) == 0x80; end++)
			;
	snprintf(cell, CELL_SIZE, "...%.250s", end);
}

/* Writes the short name of a cgroup, or its whole path if that is asked for. */
static void path_cell(char *cell, const struct mp_out *out, const struct mp_row *row,
		      const char *path)
{
	char text[MP_CGROUP_SHORT_SIZE];

	if (out->paths) {
		snprintf(cell, CELL_SIZE, "%.500s", path);
		return;
	}
	mp_cgroup_shown(text, sizeof(text), out->profile, row->cgroup);
	fit_path(cell, text, row->kind == MP_ROW_CGROUP ? MAX_CGROUP_WIDTH_ALONE :
							  MAX_CGROUP_WIDTH);
}

static void cgroup_cell(char *cell, const struct mp_out *out,
			const struct mp_row *row)
{
	char id[MP_CGROUP_ID_SIZE];
	const char *path = mp_profile_cgroup(out->profile, row->cgroup, id);

	if (row->kind == MP_ROW_CGROUP && row->flags & MP_ROW_OVERFLOW)
		path = "[table full]";
	else if (!path[0])
		path = "-";
	if (path[0] == '/')
		path_cell(cell, out, row, path);
	else
		snprintf(cell, CELL_SIZE, "%s", path);
	if (row->kind == MP_ROW_CGROUP && row->flags & MP_ROW_REMOVED)
		strncat(cell, " [removed]", CELL_SIZE - strlen(cell) - 1);
}

/* Writes DELTA per second of the session. */
static void rate_cell(char *cell, const struct mp_out *out, const uint64_t *value)
{
	const double seconds = (double)mp_footer_elapsed(&out->profile->meta.status) / 1e9;
	const double delta = (double)(int64_t)value[MP_RESIDENT_DELTA];

	snprintf(cell, CELL_SIZE, "-");
	if (seconds > 0)
		mp_human_metric(cell, MP_RESIDENT_DELTA,
				(uint64_t)(int64_t)(delta / seconds), out->exact);
}

static const char *title_of(const struct mp_out *out, const struct mp_row *row)
{
	return mp_row_is_sum(row) ? NULL :
	       mp_id_names_find(&out->profile->titles, row->pid);
}

/* Writes the begin of a command line, without the folder of the program. */
static void title_cell(char *cell, const struct mp_out *out, const struct mp_row *row)
{
	const char *title = title_of(out, row) ?: "-", *slash;
	size_t len;

	slash = title[0] == '/' ? memrchr(title, '/', strcspn(title, " ")) : NULL;
	snprintf(cell, CELL_SIZE, "%s", slash ? slash + 1 : title);
	for (len = strlen(cell); mp_text_width(cell) > MAX_TITLE_WIDTH; cell[len] = '\0')
		while ((cell[--len] & 0xc0) == 0x80)
			;
}

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
		title = title_of(out, row);
		for (i = 0; title && i < nr; i++)
			if (!strcmp(rows[i]->comm, row->comm) && title_of(out, rows[i]) &&
			    strcmp(title_of(out, rows[i]), title))
				return true;
		rows[nr++] = row;
	}
	return false;
}

/* Whether a process ended before anybody read its size. */
static bool is_unseen(const struct mp_row *row, int column)
{
	return (column == MP_RESIDENT || column == MP_PEAK_RESIDENT) &&
	       row->kind == MP_ROW_PROCESS && row->flags & MP_ROW_EXITED &&
	       !row->value[MP_RESIDENT] && !row->value[MP_PEAK_RESIDENT];
}

/* Whether a number is a level that an exited process had last: it is in no total. */
static bool is_past(const struct mp_row *row, int column)
{
	return row->kind == MP_ROW_PROCESS && row->flags & MP_ROW_EXITED &&
	       (column == COLUMN_RATE ||
		(column >= 0 && mp_metrics[column].nature == MP_LEVEL));
}

/* What an exited process had when it ended does not live any more, but is what it had last. */
static uint64_t value_of(const struct mp_row *row, int column)
{
	return row->value[column == MP_INUSE_SPACE && is_past(row, column) &&
			  !row->value[column] ? MP_AT_EXIT : column];
}

/* Puts brackets around a number that is not 0. */
static void bracket(char *cell)
{
	const size_t len = strlen(cell);

	if (!strcmp(cell, "0") || !strcmp(cell, "-") || len + 3 > CELL_SIZE)
		return;
	memmove(cell + 1, cell, len);
	cell[0] = '(';
	strcpy(cell + len + 1, ")");
}

static void row_cell(char *cell, const struct mp_out *out, int column,
		     const struct mp_row *row)
{
	switch (column) {
	case COLUMN_PID:
		snprintf(cell, CELL_SIZE, "%" PRIu32, row->pid);
		if (mp_row_is_sum(row))
			snprintf(cell, CELL_SIZE, "-");
		else if (mp_row_has_location(row) && !row->pid)
			snprintf(cell, CELL_SIZE, "(%" PRIu32 ")",
				 row->nr_processes);
		break;
	case COLUMN_HOST:
		snprintf(cell, CELL_SIZE, "%s", row->host ?
			 mp_profile_host(out->profile, row) : "-");
		break;
	case COLUMN_COMM:
		comm_cell(cell, row);
		break;
	case COLUMN_CGROUP:
		cgroup_cell(cell, out, row);
		break;
	case COLUMN_NPROC:
		snprintf(cell, CELL_SIZE, "%" PRIu32, row->nr_processes);
		break;
	case COLUMN_LOCATION:
		mp_location_row(out->profile, row, cell);
		break;
	case COLUMN_RATE:
		rate_cell(cell, out, row->value);
		break;
	case COLUMN_TITLE:
		title_cell(cell, out, row);
		break;
	default:
		mp_human_metric(cell, column, value_of(row, column), out->exact);
		if (!is_known(out, column, row->value) || is_unseen(row, column))
			snprintf(cell, CELL_SIZE, "-");
	}
	if (is_past(row, column))
		bracket(cell);
}

static void total_name(char *cell, const struct mp_out *out,
		       const struct mp_total *total)
{
	static const char * const nouns[MP_NR_ROW_KINDS][2] = {
		[MP_ROW_PROCESS] = { "process", "processes" },
		[MP_ROW_CGROUP] = { "cgroup", "cgroups" },
		[MP_ROW_SITE] = { "callsite", "callsites" },
		[MP_ROW_STACK] = { "stack", "stacks" },
	};
	static const char * const hosts[] = { "host", "hosts" };

	snprintf(cell, CELL_SIZE, "%s%zu %s",
		 out->kind == MP_ROW_PROCESS ? "" : "total: ", total->nr_named,
		 (out->by_host ? hosts : nouns[out->kind])[total->nr_named != 1]);
}

static void total_cell(char *cell, const struct mp_out *out, int column,
		       const struct mp_total *total)
{
	static const int names[MP_NR_ROW_KINDS] = {
		[MP_ROW_PROCESS] = COLUMN_COMM,
		[MP_ROW_CGROUP] = COLUMN_CGROUP,
		[MP_ROW_SITE] = COLUMN_LOCATION,
		[MP_ROW_STACK] = COLUMN_LOCATION,
	};

	cell[0] = '\0';
	if (column == COLUMN_PID && out->kind == MP_ROW_PROCESS)
		snprintf(cell, CELL_SIZE, "total");
	else if (column == COLUMN_NPROC)
		snprintf(cell, CELL_SIZE, "%" PRIu64, total->nr_processes);
	else if (column == names[out->kind])
		total_name(cell, out, total);
	else if (column == COLUMN_RATE)
		rate_cell(cell, out, total->value);
	else if (column < 0)
		return;
	else if (mp_metrics[column].nature == MP_PEAK ||
		 !is_known(out, column, total->value))
		snprintf(cell, CELL_SIZE, "-");
	else
		mp_human_metric(cell, column, total->value[column], out->exact);
}

static void print_cell(struct mp_out *out, int i, int column, const char *cell)
{
	int pad = (int)out->width[i] - (int)mp_text_width(cell);
	bool left = column == COLUMN_COMM || column == COLUMN_CGROUP ||
		    column == COLUMN_HOST || column == COLUMN_LOCATION || column == COLUMN_TITLE;

	/* text in the last column needs no padding on its right */
	if ((column == COLUMN_LOCATION || column == COLUMN_TITLE) && column_at(out, i + 1) == COLUMN_END)
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
	char cell[CELL_SIZE];
	int i, column;
	size_t nr;

	mp_profile_total(out->profile, out->kind, &total);
	for (i = 0; (column = column_at(out, i)) != COLUMN_END; i++) {
		out->width[i] = strlen(heading(out, column));
		total_cell(cell, out, column, &total);
		widen(out, i, cell);
		row = mp_out_next(out, out->profile->rows);
		for (nr = 0; row && (!out->limit || nr < out->limit); nr++) {
			row_cell(cell, out, column, row);
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

	out->titled = needs_titles(out);
	out->has_hosts = shows_hosts(out);
	measure(out);
	if (out->colour)
		fputs(BOLD, out->file);
	for (i = 0; (column = column_at(out, i)) != COLUMN_END; i++)
		print_cell(out, i, column, heading(out, column));
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
	static const enum mp_metric shown[] = {
		MP_INUSE_SPACE, MP_PEAK_SPACE, MP_ALLOC_OBJECTS,
	};
	const struct mp_row *rows[MP_MAX_TOP];
	size_t i, j, nr = mp_out_top(out, cgroup, rows);
	char cell[CELL_SIZE];

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
	char cell[CELL_SIZE];
	int i, column;

	if (dim)
		fputs(DIM, out->file);
	for (i = 0; (column = column_at(out, i)) != COLUMN_END; i++) {
		row_cell(cell, out, column, row);
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
	char cell[CELL_SIZE];
	int i, column;

	mp_profile_total(out->profile, out->kind, &total);
	if (out->colour)
		fputs(BOLD, out->file);
	for (i = 0; (column = column_at(out, i)) != COLUMN_END; i++) {
		total_cell(cell, out, column, &total);
		print_cell(out, i, column, cell);
	}
	fprintf(out->file, "%s\n", out->colour ? PLAIN : "");
}

static void print_total(struct mp_out *out)
{
	if (out->nr_hidden)
		fprintf(out->file, "... and %zu more (-n 0 shows all)\n",
			out->nr_hidden);
	mp_table_total(out);
	putc('\n', out->file);
}

static bool is_shown(const struct mp_out *sites, const struct mp_row *row)
{
	return row->value[sites->sort] ||
	       (sites->view == MP_VIEW_FRAGMENTATION && row->value[MP_FREED_RESIDENT]);
}

/* Number of callsites with live bytes, or bytes at the peak; at least 1. */
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

/*
 * Writes the table of callsites below that of processes. If living blocks do not explain the
 * memory, the first one is of who had, touched or mapped it, and the second one of the blocks.
 */
static void print_sites(const struct mp_out *out)
{
	if (out->sites_live && out->sites_sort == MP_AT_PEAK)
		fputs("who had memory at the peak (most of it was freed, and is kept):\n", out->file);
	else if (out->sites_live)
		fprintf(out->file, "who %s memory (most of it has no living block):\n",
			out->sites_sort == MP_TOUCHED ? "touched" : "mapped");
	print_sites_by(out, out->sites_sort);
	if (!out->sites_live)
		return;
	fputs("and who has living blocks:\n", out->file);
	mp_profile_sort(out->sites, MP_INUSE_SPACE);
	print_sites_by(out, MP_INUSE_SPACE);
}

static void table_end(struct mp_out *out)
{
	struct mp_total total;

	mp_profile_total(out->profile, out->kind, &total);
	print_total(out);
	if (out->sites)
		print_sites(out);
	if (total.nr_exited && out->verbose)
		fprintf(out->file, "exited: %zu; the values that they had last are "
			"in brackets, and not in the total\n", total.nr_exited);
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
		mp_footer_brief(out->file, out->profile, total.nr_exited,
				out->ended ? MP_AT_PEAK : MP_INUSE_SPACE);
	if (out->hint)
		fprintf(out->file, "hint: %s\n", out->hint);
}

const struct mp_out_ops mp_table_ops = {
	.begin = table_begin,
	.row = table_row,
	.end = table_end,
};
