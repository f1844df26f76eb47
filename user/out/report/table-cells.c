// SPDX-License-Identifier: GPL-2.0-only
/*
 * table-cells: writes numbers with units, names, and what is not known
 *
 * Text that is too long is cut. Nothing can fail.
 */
#include "table-cells.h"
#include "cgroup-short.h"
#include "footer.h"
#include "human.h"
#include "table-columns.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

/* Limit of a path's width. Its begin is cut, because its end identifies the cgroup. */
#define MAX_CGROUP_WIDTH	32
#define MAX_CGROUP_WIDTH_ALONE	56

/* Limit of a command line's width; it is the last column */
#define MAX_TITLE_WIDTH		60

static void comm_cell(char *cell, const struct mp_row *row)
{
	if (mp_row_has_location(row))
		snprintf(cell, MP_CELL_SIZE, "%s", row->comm[0] ? row->comm : "-");
	else if (row->flags & MP_ROW_OVERFLOW)
		snprintf(cell, MP_CELL_SIZE, "[table full]");
	else if (row->flags & MP_ROW_FOLDED)
		snprintf(cell, MP_CELL_SIZE, row->comm[0] && row->nr_processes ?
			 "%s [%" PRIu32 " exited]" : "[exited, folded]",
			 row->comm, row->nr_processes);
	else
		snprintf(cell, MP_CELL_SIZE, "%s%s", row->comm,
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
		snprintf(cell, MP_CELL_SIZE, "%.255s", text);
		return;
	}
	for (; width > most - 3; width--)
		for (end++; (*end & 0xc0) == 0x80; end++)
			;
	snprintf(cell, MP_CELL_SIZE, "...%.250s", end);
}

/* Writes the short name of a cgroup, or its whole path if that is asked for. */
static void path_cell(char *cell, const struct mp_out *out, const struct mp_row *row,
		      const char *path)
{
	char text[MP_CGROUP_SHORT_SIZE];

	if (out->paths) {
		snprintf(cell, MP_CELL_SIZE, "%.500s", path);
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
		snprintf(cell, MP_CELL_SIZE, "%s", path);
	if (row->kind == MP_ROW_CGROUP && row->flags & MP_ROW_REMOVED)
		strncat(cell, " [removed]", MP_CELL_SIZE - strlen(cell) - 1);
}

/* Writes DELTA per second of the session. */
static void rate_cell(char *cell, const struct mp_out *out, const uint64_t *value)
{
	const double seconds = (double)mp_status_seen_ns(&out->profile->meta.status) / 1e9;
	const double delta = (double)(int64_t)value[MP_RESIDENT_DELTA];

	snprintf(cell, MP_CELL_SIZE, "-");
	if (seconds > 0)
		mp_human_metric(cell, MP_RESIDENT_DELTA,
				(uint64_t)(int64_t)(delta / seconds), out->exact);
}

const char *mp_table_title(const struct mp_out *out, const struct mp_row *row)
{
	return mp_row_is_sum(row) ? NULL :
	       mp_id_names_find(&out->profile->titles, row->pid);
}

/* Writes the begin of a command line, without the folder of the program. */
static void title_cell(char *cell, const struct mp_out *out, const struct mp_row *row)
{
	const char *title = mp_table_title(out, row) ?: "-", *slash;
	size_t len;

	slash = title[0] == '/' ? memrchr(title, '/', strcspn(title, " ")) : NULL;
	snprintf(cell, MP_CELL_SIZE, "%s", slash ? slash + 1 : title);
	for (len = strlen(cell); mp_text_width(cell) > MAX_TITLE_WIDTH; cell[len] = '\0')
		while ((cell[--len] & 0xc0) == 0x80)
			;
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
	       (column == MP_COLUMN_RATE ||
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

	if (!strcmp(cell, "0") || !strcmp(cell, "-") || len + 3 > MP_CELL_SIZE)
		return;
	memmove(cell + 1, cell, len);
	cell[0] = '(';
	strcpy(cell + len + 1, ")");
}

void mp_table_row_cell(char *cell, const struct mp_out *out, int column,
		     const struct mp_row *row)
{
	switch (column) {
	case MP_COLUMN_PID:
		snprintf(cell, MP_CELL_SIZE, "%" PRIu32, row->pid ?: row->only_pid);
		if (mp_row_is_sum(row))
			snprintf(cell, MP_CELL_SIZE, "-");
		else if (mp_row_has_location(row) && !row->pid && !row->only_pid)
			snprintf(cell, MP_CELL_SIZE, "%" PRIu32 " proc%s",
				 row->nr_processes, row->nr_processes == 1 ? "" : "s");
		break;
	case MP_COLUMN_HOST:
		snprintf(cell, MP_CELL_SIZE, "%s", row->host ?
			 mp_profile_host(out->profile, row) : "-");
		break;
	case MP_COLUMN_COMM:
		comm_cell(cell, row);
		break;
	case MP_COLUMN_CGROUP:
		cgroup_cell(cell, out, row);
		break;
	case MP_COLUMN_NPROC:
		snprintf(cell, MP_CELL_SIZE, "%" PRIu32, row->nr_processes);
		break;
	case MP_COLUMN_LOCATION:
		mp_location_row(out->profile, row, cell);
		break;
	case MP_COLUMN_RATE:
		rate_cell(cell, out, row->value);
		break;
	case MP_COLUMN_TITLE:
		title_cell(cell, out, row);
		break;
	default:
		mp_human_metric(cell, column, value_of(row, column), out->exact);
		if (!mp_table_is_known(out, column, row->value) || is_unseen(row, column))
			snprintf(cell, MP_CELL_SIZE, "-");
	}
	if (is_past(row, column) && mp_row_is_sum(row))
		snprintf(cell, MP_CELL_SIZE, "-");
	else if (is_past(row, column))
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

	/* where some run, the sums are of those */
	const size_t nr = total->nr_named > total->nr_exited ?
			  total->nr_named - total->nr_exited : total->nr_named;

	snprintf(cell, MP_CELL_SIZE, "%s%zu %s",
		 out->kind == MP_ROW_PROCESS ? "" : "total: ", nr,
		 (out->by_host ? hosts : nouns[out->kind])[nr != 1]);
}

void mp_table_total_cell(char *cell, const struct mp_out *out, int column,
		       const struct mp_total *total)
{
	static const int names[MP_NR_ROW_KINDS] = {
		[MP_ROW_PROCESS] = MP_COLUMN_COMM,
		[MP_ROW_CGROUP] = MP_COLUMN_CGROUP,
		[MP_ROW_SITE] = MP_COLUMN_LOCATION,
		[MP_ROW_STACK] = MP_COLUMN_LOCATION,
	};

	cell[0] = '\0';
	if (column == MP_COLUMN_PID && out->kind == MP_ROW_PROCESS)
		snprintf(cell, MP_CELL_SIZE, "total");
	else if (column == MP_COLUMN_NPROC)
		snprintf(cell, MP_CELL_SIZE, "%" PRIu64, total->nr_processes);
	else if (column == names[out->kind])
		total_name(cell, out, total);
	else if (column == MP_COLUMN_RATE)
		rate_cell(cell, out, total->value);
	else if (column < 0)
		return;
	else if (mp_metrics[column].nature == MP_PEAK ||
		 !mp_table_is_known(out, column, total->value))
		snprintf(cell, MP_CELL_SIZE, "-");
	else
		mp_human_metric(cell, column, total->value[column], out->exact);
}
