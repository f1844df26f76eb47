// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-csv: writes rows of one kind as CSV (RFC 4180)
 *
 * The first line has the names of the columns: properties of the row, the keys of the
 * metrics, then whose container or unit it is. A spreadsheet would execute a text that
 * begins like a formula, so such a text gets a leading apostrophe. The caller checks the
 * stream for errors.
 */
#include "export.h"
#include "folded.h"
#include "frame-text.h"
#include "location-text.h"
#include "owner-labels.h"
#include "sites.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define END	"\r\n"

struct column {
	const char *name;
	bool locations;			/* column exists only for callsites and stacks */
	void (*put)(const struct mp_export *export, const struct mp_row *row);
};

static void put_text(FILE *file, const char *text)
{
	bool formula = text[0] && strchr("=+-@\t\r", text[0]);

	if (!formula && !strpbrk(text, ",\"\r\n")) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	if (formula)
		putc('\'', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void put_type(const struct mp_export *export, const struct mp_row *row)
{
	static const char * const names[MP_NR_ROW_KINDS] = {
		[MP_ROW_PROCESS] = "process", [MP_ROW_CGROUP] = "cgroup",
		[MP_ROW_SITE] = "callsite", [MP_ROW_STACK] = "stack",
	};

	fputs(names[row->kind], export->file);
}

static void put_pid(const struct mp_export *export, const struct mp_row *row)
{
	if (row->pid)
		fprintf(export->file, "%" PRIu32, row->pid);
}

static void put_comm(const struct mp_export *export, const struct mp_row *row)
{
	put_text(export->file, row->comm);
}

static void put_cgroup(const struct mp_export *export, const struct mp_row *row)
{
	char id[MP_CGROUP_ID_SIZE];

	put_text(export->file, mp_profile_cgroup(export->profile, row->cgroup,
						 id));
}

static void put_processes(const struct mp_export *export,
			  const struct mp_row *row)
{
	fprintf(export->file, "%" PRIu32, row->kind == MP_ROW_PROCESS &&
		!row->nr_processes ? 1 : row->nr_processes);
}

static void put_state(const struct mp_export *export, const struct mp_row *row)
{
	fputs(row->flags & MP_ROW_OVERFLOW ? "overflow" :
	      row->flags & MP_ROW_FOLDED ? "folded" :
	      row->flags & MP_ROW_EXITED ? "exited" :
	      row->flags & MP_ROW_LEFT ? "left" :
	      row->flags & MP_ROW_REMOVED ? "removed" : "", export->file);
}

static void put_callsite(const struct mp_export *export,
			 const struct mp_row *row)
{
	char text[MP_LOCATION_TEXT_SIZE];

	mp_location_row(export->profile, row, text);
	put_text(export->file, text);
}

static const struct mp_line *line_of(const struct mp_export *export,
				     const struct mp_row *row)
{
	return row->location.scope <= MP_SCOPE_SOURCE ?
	       mp_profile_line(export->profile, &row->location) : NULL;
}

/* Writes the name of a function or a file; nothing if it is not known. */
static void put_name(const struct mp_export *export, uint32_t name)
{
	const char *text = mp_symbols_text(&export->profile->symbols, name);

	put_text(export->file, text ? text : "");
}

static void put_function(const struct mp_export *export,
			 const struct mp_row *row)
{
	const struct mp_line *line = line_of(export, row);

	if (line && row->location.scope != MP_SCOPE_SOURCE)
		put_name(export, line->function);
}

static void put_file(const struct mp_export *export, const struct mp_row *row)
{
	const struct mp_line *line = line_of(export, row);

	if (line)
		put_name(export, line->file);
}

static void put_line(const struct mp_export *export, const struct mp_row *row)
{
	const struct mp_line *line = line_of(export, row);

	if (line && line->line && row->location.scope <= MP_SCOPE_LINE)
		fprintf(export->file, "%" PRIu32, line->line);
}

static void put_binary(const struct mp_export *export, const struct mp_row *row)
{
	char path[4 * MEMPROF_PATH_LEN + 1];

	if (!row->location.binary)
		return;
	mp_text_escape(path, sizeof(path),
		       export->profile->binaries[row->location.binary - 1].path,
		       MEMPROF_PATH_LEN);
	put_text(export->file, path);
}

static void put_offset(const struct mp_export *export, const struct mp_row *row)
{
	if (row->location.binary && row->location.scope == MP_SCOPE_ADDRESS)
		fprintf(export->file, "%" PRIu64, row->location.offset);
}

/* Writes a stack as a folded stack: outermost function first, joined by ';'. */
static void put_stack(const struct mp_export *export, const struct mp_row *row)
{
	struct mp_call_point points[MP_CALL_DEPTH];
	char text[256], escaped[4 * MP_SYMBOL_TEXT_SIZE + 1], *list = NULL;
	size_t nr, callsite, size;
	FILE *file;

	if (row->kind != MP_ROW_STACK || !row->location.stack)
		return;
	file = open_memstream(&list, &size);
	if (!file)
		return;
	nr = mp_call_points(export->profile, &row->location, points,
			    &callsite);
	while (nr--) {
		mp_folded_escape(escaped,
				 mp_point_name(export->profile, &points[nr],
					       text, sizeof(text)));
		fprintf(file, "%s%s", escaped, nr ? ";" : "");
	}
	if (!fclose(file))
		put_text(export->file, list);
	free(list);
}

static const struct column columns[] = {
	{ "type", false, put_type },
	{ "pid", false, put_pid },
	{ "comm", false, put_comm },
	{ "cgroup", false, put_cgroup },
	{ "processes", false, put_processes },
	{ "state", false, put_state },
	{ "callsite", true, put_callsite },
	{ "function", true, put_function },
	{ "file", true, put_file },
	{ "line", true, put_line },
	{ "binary", true, put_binary },
	{ "offset", true, put_offset },
	{ "stack", true, put_stack },
};

#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

/* The columns at the end of a line: labels of the cgroup. */
static const char * const owners[] = { "container", "pod", "namespace", "image", "unit" };

#define NR_OWNERS	(sizeof(owners) / sizeof(owners[0]))

static void put_owners(const struct mp_export *export, uint64_t cgroup)
{
	struct mp_owner_label labels[MP_MAX_OWNER_LABELS];
	const size_t nr = mp_owner_labels(export->profile, cgroup, labels);
	size_t i, k;

	for (i = 0; i < NR_OWNERS; i++) {
		putc(',', export->file);
		for (k = 0; k < nr; k++)
			if (!strcmp(labels[k].name, owners[i]))
				put_text(export->file, labels[k].value);
	}
}

static bool has_locations(const struct mp_export *export)
{
	return export->kind == MP_ROW_SITE || export->kind == MP_ROW_STACK;
}

static void write_head(const struct mp_export *export)
{
	size_t i;

	for (i = 0; i < NR_COLUMNS; i++)
		if (!columns[i].locations || has_locations(export))
			fprintf(export->file, "%s%s", i ? "," : "",
				columns[i].name);
	for (i = 0; i < MP_NR_METRICS; i++)
		fprintf(export->file, ",%s", mp_metrics[i].key);
	for (i = 0; i < NR_OWNERS; i++)
		fprintf(export->file, ",%s", owners[i]);
	fputs(END, export->file);
}

static void write_row(const struct mp_export *export, const struct mp_row *row)
{
	size_t i;

	for (i = 0; i < NR_COLUMNS; i++) {
		if (columns[i].locations && !has_locations(export))
			continue;
		if (i)
			putc(',', export->file);
		columns[i].put(export, row);
	}
	for (i = 0; i < MP_NR_METRICS; i++)
		if (!mp_metric_is_known(i, row->value))
			putc(',', export->file);
		else if (mp_metrics[i].is_signed)
			fprintf(export->file, ",%" PRId64,
				(int64_t)row->value[i]);
		else
			fprintf(export->file, ",%" PRIu64, row->value[i]);
	put_owners(export, row->cgroup);
	fputs(END, export->file);
}

static int write_csv(struct mp_export *export)
{
	const struct mp_profile *profile = export->profile;
	size_t i;

	write_head(export);
	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == export->kind)
			write_row(export, &profile->rows[i]);
	return 0;
}

const struct mp_export_ops mp_export_csv = {
	.name = "csv",
	.summary = "for spreadsheets and data frames: rows of one kind",
	.shape = MP_EXPORT_ROWS,
	.write = write_csv,
};
