// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-json: writes a line with the version, then the JSON lines of a report
 */
#include "export.h"
#include "json-object.h"
#include "json.h"
#include "writer.h"

#include <json-c/json.h>

/* Version of the schema in Documentation/export.rst. A new key does not change it. */
#define VERSION	1

static void write_head(const struct mp_export *export)
{
	struct json_object *line = mp_json_open("header");

	if (line) {
		mp_json_add(line, "version",
			    json_object_new_int(VERSION));
		mp_json_add_text(line, "exporter", export->exporter);
		mp_json_add_text(line, "title", export->title);
	}
	mp_json_close(export->file, line);
}

static void write_rows(const struct mp_export *export, enum mp_row_kind kind)
{
	struct mp_out out = {
		.ops = &mp_json_ops, .file = export->file,
		.profile = export->profile, .kind = kind,
		.sort = export->metric,
	};

	mp_out_report(&out);
}

/* Writes the series of a profile: values of all targets together over time. */
static void write_series(const struct mp_export *export)
{
	const struct mp_profile *profile = export->profile;
	size_t i;

	for (i = profile->frames.nr + profile->nr_rows;
	     i < mp_json_nr_lines(profile); i++)
		mp_json_line(export->file, profile, i);
}

static int write_json(struct mp_export *export)
{
	int kind;

	write_head(export);
	for (kind = 0; kind < MP_NR_ROW_KINDS; kind++)
		if (export->all_kinds || export->kind == (unsigned int)kind)
			write_rows(export, kind);
	if (export->all_kinds)
		write_series(export);
	return 0;
}

const struct mp_export_ops mp_export_json = {
	.name = "json",
	.summary = "an object a line: processes, cgroups, callsites, stacks",
	.shape = MP_EXPORT_ALL_ROWS,
	.write = write_json,
};
