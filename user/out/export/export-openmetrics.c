// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-openmetrics: writes gauges and counters, OpenMetrics 1.0.0
 *
 * A flow is a counter; a level or a peak is a gauge. The number of series is
 * bounded: for callsites by --top, for processes and cgroups by MAX_ROWS. Further
 * rows are added up in one series, so sums are complete. The id of a callsite is
 * computed from its binary and code location, so it is the same in each run. If
 * memory is short, -ENOMEM is returned.
 *
 * By name, for what is scraped for months, there are no process ids, addresses and
 * lines: the labels are command, cgroup and function. Then --top is the limit for each
 * cgroup, of commands and of callsites, and MAX_CGROUPS that of cgroups: the number of
 * series has a bound, whatever runs on the machine.
 */
#include "export.h"
#include "counter.h"
#include "frame-text.h"
#include "sites.h"
#include "location-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS	1000
#define MAX_CGROUPS	100
#define OTHERS		"[others]"

/* The series of a row, or of rows with equal labels: one value per metric. */
struct series {
	const struct mp_row *row;	/* NULL: sum of all other rows */
	uint64_t cgroup;		/* of the other rows, if they are those of one cgroup */
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
	struct mp_map by_cgroup;	/* by name: how many series it has */
};

static const char * const group_names[MP_NR_ROW_KINDS] = {
	[MP_ROW_PROCESS] = "process", [MP_ROW_CGROUP] = "cgroup",
	[MP_ROW_SITE] = "callsite",
};

/* What is written by name: each metric is as many series as there are rows. */
static const enum mp_metric named_metrics[] = {
	MP_RESIDENT, MP_RESIDENT_ANON, MP_RESIDENT_FILE, MP_RESIDENT_SHMEM, MP_SWAPPED,
	MP_MINOR_FAULTS, MP_MAJOR_FAULTS, MP_FAULTS, MP_TOUCHED, MP_GROWTH,
	MP_ALLOC_OBJECTS, MP_ALLOC_SPACE, MP_INUSE_OBJECTS, MP_INUSE_SPACE,
	MP_HEAP_RESIDENT, MP_LIVE_RESIDENT, MP_HELD, MP_BLOCK_RESIDENT, MP_BLAME,
	MP_CGROUP_CURRENT, MP_CGROUP_ANON, MP_CGROUP_FILE, MP_CGROUP_KERNEL,
};

static bool is_named(int metric)
{
	size_t i;

	for (i = 0; i < sizeof(named_metrics) / sizeof(named_metrics[0]); i++)
		if (metric == (int)named_metrics[i])
			return true;
	return false;
}

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

/*
 * Writes the name of a callsite's function. What a compiler adds to it differs from
 * build to build.
 */
static void name_function(const struct mp_profile *profile, const struct mp_row *row,
			  char *text)
{
	static const char * const added[] = {
		" [clone ", ".constprop.", ".isra.", ".part.", ".cold", ".lto_priv.", ".llvm.",
	};
	const struct mp_line *line = mp_profile_line(profile, &row->location);
	const char *name = line ? mp_symbols_text(&profile->symbols, line->function) : NULL;
	const uint32_t binary = row->location.binary;
	char *end;
	size_t i;

	if (row->flags & MP_ROW_OVERFLOW) {
		strcpy(text, "[dropped]");
	} else if (row->location.scope == MP_SCOPE_BINARY) {
		mp_location_row(profile, row, text);
	} else if (name) {
		snprintf(text, MP_LOCATION_TEXT_SIZE, "%.*s", MP_LOCATION_TEXT_SIZE - 1, name);
		for (i = 0; i < sizeof(added) / sizeof(added[0]); i++) {
			end = strstr(text, added[i]);
			if (end && end > text)
				*end = '\0';
		}
	} else if (binary) {
		text[0] = '[';
		mp_file_base(profile->binaries[binary - 1].path, text + 1,
			     MP_LOCATION_TEXT_SIZE - 2);
		strcat(text, "]");
	} else {
		strcpy(text, "[unknown]");
	}
}

/* The same for all processes that have a command and a cgroup in common. */
static uint64_t name_of(const struct group *group, const struct mp_row *row)
{
	uint64_t hash = hash_bytes(0xcbf29ce484222325ULL, row->comm, strlen(row->comm) + 1);
	char text[MP_LOCATION_TEXT_SIZE];

	hash = hash_number(hash, row->flags & MP_ROW_OVERFLOW);
	if (group->kind != MP_ROW_SITE)
		return hash;
	name_function(group->export->profile, row, text);
	return hash_bytes(hash, text, strlen(text));
}

static struct series *new_series(struct group *group, const struct mp_row *row,
				 uint64_t cgroup, uint32_t *known)
{
	struct series *series = &group->list[group->nr];

	*known = (uint32_t)group->nr++;
	series->row = row;
	series->cgroup = cgroup;
	return series;
}

static int add_series(struct group *group, const struct mp_row *row, bool fits,
		      uint64_t labels, uint64_t cgroup, struct series **series)
{
	uint32_t *known = mp_map_add(&group->by_labels, labels, cgroup);

	if (!known)
		return -ENOMEM;
	*series = *known == MP_MAP_NEW ? new_series(group, fits ? row : NULL, cgroup, known) :
					 &group->list[*known];
	return 0;
}

/*
 * Each cgroup has --top series, in the order of the rows, and one more for the others.
 * The cgroups that come first are those that are named.
 */
static int add_named(struct group *group, const struct mp_row *row)
{
	const uint64_t labels = name_of(group, row);
	uint64_t cgroup = row->cgroup;
	struct series *series;
	uint32_t *known = mp_map_find(&group->by_cgroup, cgroup, 0), *nr;
	bool fits;
	int err;

	if (!known && group->by_cgroup.nr >= MAX_CGROUPS)
		cgroup = 0;
	nr = mp_map_add(&group->by_cgroup, cgroup, 0);
	if (!nr)
		return -ENOMEM;
	if (*nr == MP_MAP_NEW)
		*nr = 0;
	fits = mp_map_find(&group->by_labels, labels, cgroup) ||
	       (cgroup == row->cgroup && *nr < group->export->top);
	if (fits && !mp_map_find(&group->by_labels, labels, cgroup))
		++*nr;
	err = add_series(group, row, fits, fits ? labels : 0, cgroup, &series);
	if (!err)
		add_values(series, row);
	return err;
}

static size_t limit_of(const struct group *group)
{
	if (group->export->by_name)
		return (MAX_CGROUPS + 1) * (group->kind == MP_ROW_CGROUP ? 1 :
					    group->export->top + 1);
	return group->kind == MP_ROW_SITE ? group->export->top : MAX_ROWS;
}

static int add_row(struct group *group, const struct mp_row *row)
{
	bool fits = group->nr < limit_of(group);
	uint64_t labels = labels_of(group, row);
	uint32_t *known = mp_map_find(&group->by_labels, labels, 0);
	struct series *series;

	if (group->export->by_name && group->kind != MP_ROW_CGROUP)
		return add_named(group, row);
	if (!known) {
		/* all rows beyond the limit are added to one series */
		known = mp_map_add(&group->by_labels, fits ? labels : 0, !fits);
		if (!known)
			return -ENOMEM;
	}
	if (*known == MP_MAP_NEW) {
		series = new_series(group, fits ? row : NULL, 0, known);
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

/* A row, and the value by which all rows with its labels are ranked together. */
struct ranked {
	const struct mp_row *row;
	uint64_t labels;
	uint64_t total;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->labels < y->labels ? -1 : x->labels > y->labels;
}

static uint64_t rank_by(const struct mp_row *row, enum mp_metric metric)
{
	const uint64_t value = row->value[metric];

	if (is_stale(row, metric) || (mp_metrics[metric].is_signed && (int64_t)value < 0))
		return 0;
	return value;
}

/* A callsite that asks for memory and one that touches it are both worth a series. */
static uint64_t rank_of(const struct group *group, const struct mp_row *row)
{
	uint64_t rank, growth, touched;

	if (group->kind != MP_ROW_SITE)
		return rank_by(row, MP_RESIDENT);
	rank = rank_by(row, group->export->metric);
	growth = rank_by(row, MP_GROWTH);
	touched = rank_by(row, MP_TOUCHED);
	rank = rank > growth ? rank : growth;
	return rank > touched ? rank : touched;
}

static int add_up_ranks(struct group *group, struct ranked *list, size_t nr)
{
	struct mp_map first = { 0 };
	size_t i;
	uint32_t *at;
	int err = 0;

	for (i = 0; !err && i < nr; i++) {
		at = mp_map_add(&first, list[i].labels, list[i].row->cgroup);
		if (!at) {
			err = -ENOMEM;
			break;
		}
		if (*at == MP_MAP_NEW)
			*at = (uint32_t)i;
		list[*at].total += rank_of(group, list[i].row);
	}
	for (i = 0; !err && i < nr; i++)
		list[i].total = list[*mp_map_find(&first, list[i].labels,
						  list[i].row->cgroup)].total;
	mp_map_free(&first);
	return err;
}

/* Adds the rows by name: those come first that have most together. */
static int collect_named(struct group *group)
{
	const struct mp_profile *profile = group->export->profile;
	struct ranked *list = calloc(profile->nr_rows + 1, sizeof(*list));
	size_t i, nr = 0;
	int err;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == group->kind && !is_part(&profile->rows[i])) {
			list[nr].row = &profile->rows[i];
			list[nr++].labels = group->kind == MP_ROW_CGROUP ? 0 :
					    name_of(group, &profile->rows[i]);
		}
	err = add_up_ranks(group, list, nr);
	if (!err)
		qsort(list, nr, sizeof(*list), compare_ranks);
	for (i = 0; !err && i < nr; i++)
		err = add_row(group, list[i].row);
	free(list);
	return err;
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
	if (group->export->by_name)
		return collect_named(group);
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

/*
 * Writes what is known of a cgroup: a label more for each, never a series more. Ids of
 * containers are no labels: each restart has another one.
 */
static void put_container(const struct mp_export *export, uint64_t cgroup)
{
	const char *path = mp_id_names_find(&export->profile->names, cgroup), *text;
	struct mp_cgroup_path parsed;
	int what;

	mp_cgroup_path_parse(path ?: "", &parsed);
	for (what = MP_CONTAINER_NAME; what < MP_NR_CONTAINER_TEXTS; what++) {
		text = mp_containers_find(&export->profile->containers, cgroup, what);
		if (!text && what == MP_CONTAINER_NAME && parsed.machine[0])
			text = parsed.machine;
		if (text)
			put_label(export->file, mp_container_key(what), text, ',');
	}
	if (parsed.unit[0])
		put_label(export->file, "unit", parsed.unit, ',');
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

/* The labels of a series by name. */
static void put_names(const struct group *group, const struct series *series)
{
	const struct mp_export *export = group->export;
	const struct mp_row *row = series->row;
	char text[MP_LOCATION_TEXT_SIZE], id[MP_CGROUP_ID_SIZE];

	put_label(export->file, "cgroup", series->cgroup || row ?
		  mp_profile_cgroup(export->profile, row ? row->cgroup : series->cgroup, id) :
		  OTHERS, '{');
	put_label(export->file, "command", !row ? OTHERS : row->flags & MP_ROW_OVERFLOW ?
		  "[dropped]" : row->comm, ',');
	put_container(export, row ? row->cgroup : series->cgroup);
	if (group->kind != MP_ROW_SITE)
		return;
	if (row)
		name_function(export->profile, row, text);
	put_label(export->file, "function", row ? text : OTHERS, ',');
}

static void put_labels(const struct group *group, const struct series *series)
{
	const struct mp_export *export = group->export;
	const struct mp_row *row = series->row;
	char id[MP_CGROUP_ID_SIZE];

	if (export->by_name && group->kind != MP_ROW_CGROUP) {
		put_names(group, series);
		putc('}', export->file);
		return;
	}
	if (group->kind == MP_ROW_PROCESS)
		put_process(group, row);
	else if (group->kind == MP_ROW_SITE)
		put_callsite(group, series);
	put_label(export->file, "cgroup", row ?
		  mp_profile_cgroup(export->profile, row->cgroup, id) : OTHERS,
		  group->kind == MP_ROW_CGROUP ? '{' : ',');
	if (row)
		put_container(export, row->cgroup);
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

/* Begins a family. Prometheus' own format has the ending of a counter in its name. */
static void put_head(const struct mp_export *export, const char *name, bool counter,
		     bool bytes, const char *help)
{
	const char *total = counter && export->plain ? "_total" : "";

	fprintf(export->file, "# TYPE %s%s %s\n", name, total, counter ? "counter" : "gauge");
	if (bytes && !export->plain)
		fprintf(export->file, "# UNIT %s bytes\n", name);
	fprintf(export->file, "# HELP %s%s %s\n", name, total, help);
}

static void put_family(const struct group *group, int metric)
{
	const struct mp_metric_info *info = &mp_metrics[metric];
	bool counter = info->nature == MP_FLOW && !info->is_signed;
	bool bytes = info->unit == MP_UNIT_BYTES;
	FILE *file = group->export->file;
	const bool by_name = group->export->by_name;
	const char *key = info->key;
	const char *total = counter ? "_total" : "";
	char name[96];
	size_t i;

	if (!has_any(group, metric) || (by_name && !is_named(metric)))
		return;
	/* the prefix already has "cgroup_": remove it from "cgroup_current_space" */
	if (group->kind == MP_ROW_CGROUP && !strncmp(key, "cgroup_", 7))
		key += 7;
	snprintf(name, sizeof(name), "memprof_%s_%s%s", by_name &&
		 group->kind == MP_ROW_PROCESS ? "command" : group_names[group->kind],
		 key, bytes ? "_bytes" : "");
	put_head(group->export, name, counter, bytes, info->description);
	for (i = 0; i < group->nr; i++) {
		if ((!by_name && is_stale(group->list[i].row, metric)) ||
		    !mp_metric_is_known(metric, group->list[i].value))
			continue;
		fprintf(file, "%s%s", name, total);
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
	mp_map_free(&group.by_cgroup);
	free(group.list);
	return err;
}

static const char *class_of(const struct mp_counter *counter)
{
	static const char * const names[MP_NR_COUNTER_CLASSES] = {
		[MP_COUNTER_LOSS] = "loss", [MP_COUNTER_MISTAKE] = "mistake",
		[MP_COUNTER_INEXACT] = "inexact", [MP_COUNTER_NORMAL] = "normal",
		[MP_COUNTER_UNKNOWN] = "unknown",
	};

	return names[mp_counter_info(counter->name)->class];
}

static void put_session(const struct mp_export *export)
{
	const struct mp_profile *profile = export->profile;
	size_t i;

	/* a gauge, because some readers do not know the type "info" */
	put_head(export, "memprof_session_info", false, false,
		 "where the numbers come from");
	fputs("memprof_session_info", export->file);
	put_label(export->file, "exporter", export->exporter, '{');
	put_label(export->file, "source",
		  mp_source_name(profile->meta.source), ',');
	put_label(export->file, "targets", export->title, ',');
	fputs("} 1\n", export->file);
	if (!profile->nr_counters)
		return;
	put_head(export, "memprof_events", true, false,
		 "what was lost, skipped or counted less exactly");
	for (i = 0; i < profile->nr_counters; i++) {
		fputs("memprof_events_total", export->file);
		put_label(export->file, "counter", profile->counters[i].name,
			  '{');
		if (export->by_name)
			put_label(export->file, "class", class_of(&profile->counters[i]),
				  ',');
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
	if (!export->plain)
		fputs("# EOF\n", export->file);
	return err;
}

const struct mp_export_ops mp_export_openmetrics = {
	.name = "openmetrics",
	.summary = "for Prometheus: processes, cgroups, and the top callsites",
	.shape = MP_EXPORT_ALL_ROWS,
	.write = write_openmetrics,
};
