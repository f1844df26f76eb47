// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-openmetrics: writes gauges and counters, OpenMetrics 1.0.0
 *
 * A flow is a counter; a level or a peak is a gauge. The number of series is
 * bounded: for callsites by --top, for processes and cgroups by MAX_ROWS. Further
 * rows are added up in one series, so sums are complete. The id of a callsite is
 * computed from its binary and code location, so it is the same in each run. If
 * memory is short, -ENOMEM is returned.
 */
#include "export.h"
#include "location-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS	1000
#define OTHERS		"[others]"

/* The series of a row, or of rows with equal labels: one value per metric. */
struct series {
	const struct mp_row *row;	/* NULL: sum of all other rows */
	uint64_t id;			/* id of the callsite, if the row has one */
	uint64_t value[MP_NR_METRICS];
};

/* The series of all rows of one kind. */
struct group {
	const struct mp_export *export;
	enum mp_row_kind kind;
	struct series *list;
	size_t nr, max;
	struct mp_map by_labels;
};

static const char * const group_names[MP_NR_ROW_KINDS] = {
	[MP_ROW_PROCESS] = "process", [MP_ROW_CGROUP] = "cgroup",
	[MP_ROW_SITE] = "callsite",
};

/* FNV-1a without a key: the hash is the same in each run and on each machine. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *bytes = data;
	size_t i;

	for (i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
	return hash;
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
	uint8_t bytes[8];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	return hash_bytes(hash, bytes, sizeof(bytes));
}

/*
 * Computes the id of a callsite: a hash of build-id and offset. If there is no
 * build-id, the name of the file is used; if there is no file, the callsite's text.
 */
static uint64_t id_of(const struct mp_export *export, const struct mp_row *row)
{
	const struct mp_location *location = &row->location;
	const struct mp_binary *binary;
	char text[MP_LOCATION_TEXT_SIZE];
	uint64_t hash = 0xcbf29ce484222325ULL;

	if (!location->binary || location->scope != MP_SCOPE_ADDRESS) {
		mp_location_row(export->profile, row, text);
		return hash_bytes(hash, text, strlen(text));
	}
	binary = &export->profile->binaries[location->binary - 1];
	hash = binary->build_id_size ?
	       hash_bytes(hash, binary->build_id, binary->build_id_size) :
	       hash_bytes(hash, binary->path, strlen(binary->path));
	hash = hash_number(hash, location->offset);
	return hash_number(hash, location->line);
}

/* Whether a value is out of date: it is a level of an exited process. */
static bool is_stale(const struct mp_row *row, int metric)
{
	return row && row->flags & MP_ROW_EXITED &&
	       mp_metrics[metric].nature == MP_LEVEL;
}

static void add_values(struct series *series, const struct mp_row *row)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		if (is_stale(row, i))
			continue;
		else if (mp_metrics[i].nature != MP_PEAK)
			series->value[i] += row->value[i];
		else if (row->value[i] > series->value[i])
			series->value[i] = row->value[i];
}

/* Hashes the labels of a row: two series must not have the same labels. */
static uint64_t labels_of(const struct group *group, const struct mp_row *row)
{
	uint64_t hash = hash_bytes(0, row->comm, strlen(row->comm));

	hash = hash_number(hash, row->cgroup);
	hash = hash_number(hash, row->pid);
	hash = hash_number(hash, row->start_ns);
	return hash_number(hash, group->kind == MP_ROW_SITE ?
			   id_of(group->export, row) : row->flags &
			   (MP_ROW_FOLDED | MP_ROW_OVERFLOW));
}

static size_t limit_of(const struct group *group)
{
	return group->kind == MP_ROW_SITE ? group->export->top : MAX_ROWS;
}

static int add_row(struct group *group, const struct mp_row *row)
{
	bool fits = group->nr < limit_of(group);
	uint64_t labels = labels_of(group, row);
	uint32_t *known = mp_map_find(&group->by_labels, labels, 0);
	struct series *series;

	if (!known) {
		/* all rows beyond the limit are added to one series */
		known = mp_map_add(&group->by_labels, fits ? labels : 0, !fits);
		if (!known)
			return -ENOMEM;
	}
	if (*known == MP_MAP_NEW) {
		*known = (uint32_t)group->nr;
		series = &group->list[group->nr++];
		series->row = fits ? row : NULL;
		series->id = fits && group->kind == MP_ROW_SITE ?
			     id_of(group->export, row) : 0;
	}
	add_values(&group->list[*known], row);
	return 0;
}

/* Whether an ancestor's row includes a row; then the row must not be counted again. */
static bool is_part(const struct mp_row *row)
{
	return row->kind == MP_ROW_CGROUP && row->flags & MP_ROW_ROLLED;
}

static int collect(struct group *group)
{
	const struct mp_profile *profile = group->export->profile;
	size_t i, nr = limit_of(group) + 1;
	int err = 0;

	if (nr > profile->nr_rows)
		nr = profile->nr_rows;
	group->list = calloc(nr + 1, sizeof(*group->list));
	if (!group->list)
		return -ENOMEM;
	for (i = 0; !err && i < profile->nr_rows; i++)
		if (profile->rows[i].kind == group->kind &&
		    !is_part(&profile->rows[i]))
			err = add_row(group, &profile->rows[i]);
	return err;
}

static void put_label(FILE *file, const char *name, const char *text,
		      char before)
{
	fprintf(file, "%c%s=\"", before, name);
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			putc('\\', file);
		if (*text == '\n')
			fputs("\\n", file);
		else
			putc(*text, file);
	}
	putc('"', file);
}

static void put_process(const struct group *group, const struct mp_row *row)
{
	FILE *file = group->export->file;
	char number[32] = "";

	if (row && row->pid)
		snprintf(number, sizeof(number), "%" PRIu32, row->pid);
	put_label(file, "pid", number, '{');
	/* pids are used again, so the start time is a label, too */
	snprintf(number, sizeof(number), "%" PRIu64, row ? row->start_ns : 0);
	put_label(file, "start_ns", number, ',');
	put_label(file, "comm", !row ? OTHERS : row->flags & MP_ROW_OVERFLOW ?
		  "[dropped]" : row->comm, ',');
}

static void put_callsite(const struct group *group, const struct series *series)
{
	const struct mp_export *export = group->export;
	char text[MP_LOCATION_TEXT_SIZE];

	snprintf(text, sizeof(text), "%016" PRIx64, series->id);
	put_label(export->file, "id", series->row ? text : "others", '{');
	snprintf(text, sizeof(text), OTHERS);
	if (series->row)
		mp_location_row(export->profile, series->row, text);
	put_label(export->file, "callsite", text, ',');
	put_label(export->file, "comm", series->row ? series->row->comm : "",
		  ',');
}

static void put_labels(const struct group *group, const struct series *series)
{
	const struct mp_export *export = group->export;
	const struct mp_row *row = series->row;
	char id[MP_CGROUP_ID_SIZE];

	if (group->kind == MP_ROW_PROCESS)
		put_process(group, row);
	else if (group->kind == MP_ROW_SITE)
		put_callsite(group, series);
	put_label(export->file, "cgroup", row ?
		  mp_profile_cgroup(export->profile, row->cgroup, id) : OTHERS,
		  group->kind == MP_ROW_CGROUP ? '{' : ',');
	putc('}', export->file);
}

static bool has_any(const struct group *group, int metric)
{
	size_t i;

	for (i = 0; i < group->nr; i++)
		if (group->list[i].value[metric])
			return true;
	return false;
}

static void put_value(FILE *file, int metric, uint64_t value)
{
	if (mp_metrics[metric].is_signed)
		fprintf(file, " %" PRId64 "\n", (int64_t)value);
	else
		fprintf(file, " %" PRIu64 "\n", value);
}

static void put_family(const struct group *group, int metric)
{
	const struct mp_metric_info *info = &mp_metrics[metric];
	bool counter = info->nature == MP_FLOW && !info->is_signed;
	bool bytes = info->unit == MP_UNIT_BYTES;
	FILE *file = group->export->file;
	const char *key = info->key;
	char name[96];
	size_t i;

	if (!has_any(group, metric))
		return;
	/* the prefix already has "cgroup_": remove it from "cgroup_current_space" */
	if (group->kind == MP_ROW_CGROUP && !strncmp(key, "cgroup_", 7))
		key += 7;
	snprintf(name, sizeof(name), "memprof_%s_%s%s",
		 group_names[group->kind], key, bytes ? "_bytes" : "");
	fprintf(file, "# TYPE %s %s\n", name, counter ? "counter" : "gauge");
	if (bytes)
		fprintf(file, "# UNIT %s bytes\n", name);
	fprintf(file, "# HELP %s %s\n", name, info->description);
	for (i = 0; i < group->nr; i++) {
		if (is_stale(group->list[i].row, metric) ||
		    !mp_metric_is_known(metric, group->list[i].value))
			continue;
		fprintf(file, "%s%s", name, counter ? "_total" : "");
		put_labels(group, &group->list[i]);
		put_value(file, metric, group->list[i].value[metric]);
	}
}

static int put_group(struct mp_export *export, enum mp_row_kind kind)
{
	struct group group = { .export = export, .kind = kind };
	int err = collect(&group), i;

	for (i = 0; !err && i < MP_NR_METRICS; i++)
		put_family(&group, i);
	mp_map_free(&group.by_labels);
	free(group.list);
	return err;
}

static void put_session(const struct mp_export *export)
{
	const struct mp_profile *profile = export->profile;
	size_t i;

	/* a gauge, because some readers do not know the type "info" */
	fputs("# TYPE memprof_session_info gauge\n"
	      "# HELP memprof_session_info where the numbers come from\n"
	      "memprof_session_info", export->file);
	put_label(export->file, "exporter", export->exporter, '{');
	put_label(export->file, "source",
		  mp_source_name(profile->meta.source), ',');
	put_label(export->file, "targets", export->title, ',');
	fputs("} 1\n", export->file);
	if (!profile->nr_counters)
		return;
	fputs("# TYPE memprof_events counter\n"
	      "# HELP memprof_events what was lost, skipped or counted less exactly\n",
	      export->file);
	for (i = 0; i < profile->nr_counters; i++) {
		fputs("memprof_events_total", export->file);
		put_label(export->file, "counter", profile->counters[i].name,
			  '{');
		fprintf(export->file, "} %" PRIu64 "\n",
			profile->counters[i].value);
	}
}

static int write_openmetrics(struct mp_export *export)
{
	int kind, err = 0;

	put_session(export);
	for (kind = 0; !err && kind <= MP_ROW_SITE; kind++)
		if (export->all_kinds || export->kind == (unsigned int)kind)
			err = put_group(export, kind);
	fputs("# EOF\n", export->file);
	return err;
}

const struct mp_export_ops mp_export_openmetrics = {
	.name = "openmetrics",
	.summary = "for Prometheus: processes, cgroups, and the top callsites",
	.shape = MP_EXPORT_ALL_ROWS,
	.write = write_openmetrics,
};
