// SPDX-License-Identifier: GPL-2.0-only
/*
 * json: writes a profile as lines of JSON
 *
 * A row costs about 5 us, 900 bytes, and an object that is freed after the row. If
 * memory is short, a value becomes null, which the reader refuses. The caller checks
 * the stream for errors.
 */
#include "json.h"
#include "health.h"
#include "json-frames.h"
#include "json-object.h"
#include "json-series.h"
#include "sites.h"
#include "writer.h"
#include "location-text.h"
#include "rollup.h"
#include "scan.h"
#include "top-sites.h"

#include <string.h>

const char * const mp_json_types[MP_NR_JSON_TYPES] = {
	[MP_JSON_UNKNOWN] = "",
	[MP_JSON_PROCESS] = "process",
	[MP_JSON_CGROUP] = "cgroup",
	[MP_JSON_SITE] = "site",
	[MP_JSON_STACK] = "stack",
	[MP_JSON_FRAME] = "frame",
	[MP_JSON_SERIES] = "series",
	[MP_JSON_SUMMARY] = "summary",
	[MP_JSON_STATUS] = "status",
	[MP_JSON_ERROR] = "error",
	[MP_JSON_END] = "end",
};

static const enum mp_json_type row_types[MP_NR_ROW_KINDS] = {
	[MP_ROW_PROCESS] = MP_JSON_PROCESS,
	[MP_ROW_CGROUP] = MP_JSON_CGROUP,
	[MP_ROW_SITE] = MP_JSON_SITE,
	[MP_ROW_STACK] = MP_JSON_STACK,
};

#define FIELD(name, member)						\
	{ name, offsetof(struct mp_meta, member),			\
	  sizeof(((struct mp_meta *)0)->member) }

const struct mp_json_field mp_json_fields[MP_JSON_NR_FIELDS] = {
	FIELD("session", status.session),
	FIELD("nr_targets", status.nr_targets),
	FIELD("minor_period", status.minor_period),
	FIELD("major_period", status.major_period),
	FIELD("page_size", page_size),
	FIELD("start_ns", status.start_ns),
	FIELD("stop_ns", status.stop_ns),
	FIELD("reset_ns", status.reset_ns),
	FIELD("now_ns", status.now_ns),
	FIELD("max_processes", status.max_processes),
	FIELD("nr_processes", status.nr_processes),
	FIELD("max_cgroups", status.max_cgroups),
	FIELD("nr_cgroups", status.nr_cgroups),
	FIELD("max_callsites", status.max_sites),
	FIELD("nr_callsites", status.nr_sites),
	FIELD("max_blocks", status.max_live),
	FIELD("nr_blocks", status.nr_live),
	FIELD("status_flags", status.flags),
	FIELD("alloc_rate", alloc.rate),
	FIELD("alloc_pace", alloc.pace),
	FIELD("alloc_probes", alloc.nr_probes),
	FIELD("alloc_binaries", alloc.nr_binaries),
	FIELD("alloc_samplers", alloc.nr_samplers),
	FIELD("alloc_unsampled", alloc.nr_unsampled),
	FIELD("alloc_brief", alloc.nr_brief),
	FIELD("alloc_rescan_errno", alloc.rescan_errno),
};

const struct mp_json_bit mp_json_row_bits[MP_JSON_NR_ROW_BITS] = {
	{ "exited", MP_ROW_EXITED },
	{ "folded", MP_ROW_FOLDED },
	{ "overflow", MP_ROW_OVERFLOW },
	{ "mapped", MP_ROW_MAPPED },
	{ "split", MP_ROW_SPLIT },
	{ "live_touched_bound", MP_ROW_BOUND },
	{ "in_ancestor", MP_ROW_ROLLED },
	{ "left", MP_ROW_LEFT },
	{ "removed", MP_ROW_REMOVED },
	{ "executed", MP_ROW_EXECUTED },
	{ "attached", MP_ROW_ATTACHED },
};

const char * const mp_json_states[MP_JSON_NR_STATES] = {
	[MEMPROF_STATE_IDLE] = "idle",
	[MEMPROF_STATE_RUNNING] = "running",
	[MEMPROF_STATE_STOPPED] = "stopped",
};

static struct json_object *open_line(enum mp_json_type type)
{
	return mp_json_open(mp_json_types[type]);
}

/* Adds the bins of a histogram, up to the last bin that is not 0. */
static void add_bins(struct json_object *line, const char *key,
		     const uint64_t *bins)
{
	struct json_object *list = json_object_new_array();
	int i, nr = MEMPROF_HISTOGRAM;

	while (nr && !bins[nr - 1])
		nr--;
	for (i = 0; list && i < nr; i++)
		json_object_array_add(list, json_object_new_uint64(bins[i]));
	mp_json_add(line, key, list);
}

static void add_location(struct json_object *line,
			 const struct mp_profile *profile,
			 const struct mp_location *location)
{
	const struct mp_histogram *bins;

	mp_json_add_text(line, "kind", mp_func_name(location->func));
	mp_json_add_number(line, "func", location->func);
	mp_json_add_number(line, "address", location->address);
	mp_json_add_number(line, "offset", location->offset);
	if (location->binary)
		mp_json_add_binary(line, &profile->binaries[location->binary - 1]);
	if (location->histogram) {
		bins = &profile->histograms[location->histogram - 1];
		add_bins(line, "sizes", bins->sizes);
		add_bins(line, "lifetimes", bins->lifetimes);
	}
}

/* Adds what the path of a cgroup, and the runtime of its container, say. */
static void add_container(struct json_object *line, const struct mp_profile *profile,
			  uint64_t cgroup)
{
	const char *text, *path = mp_id_names_find(&profile->names, cgroup);
	struct mp_cgroup_path parsed;
	int what;

	mp_cgroup_path_parse(path ?: "", &parsed);
	for (what = 0; what < MP_NR_CONTAINER_TEXTS; what++) {
		text = mp_containers_find(&profile->containers, cgroup, what);
		if (!text && what == MP_CONTAINER_RUNTIME)
			text = mp_runtime_name(parsed.runtime);
		if (text && *text)
			mp_json_add_text(line, mp_container_key(what), text);
	}
	if (parsed.id[0])
		mp_json_add_text(line, "container_id", parsed.id);
	if (parsed.pod_uid[0])
		mp_json_add_text(line, "pod_uid", parsed.pod_uid);
	if (parsed.pod_uid[0] && parsed.qos)
		mp_json_add_text(line, "qos", parsed.qos);
	if (parsed.machine[0])
		mp_json_add_text(line, "machine", parsed.machine);
	if (parsed.unit[0])
		mp_json_add_text(line, "unit", parsed.unit);
}

/* Adds the members that identify a process or a cgroup. */
static void add_identity(struct json_object *line,
			 const struct mp_profile *profile,
			 const struct mp_row *row)
{
	char id[MP_CGROUP_ID_SIZE];
	const char *title;

	if (row->kind == MP_ROW_PROCESS) {
		mp_json_add_number(line, "pid", row->pid);
		mp_json_add_text(line, "comm", row->comm);
		title = mp_id_names_find(&profile->titles, row->pid);
		if (title)
			mp_json_add_text(line, "title", title);
	}
	mp_json_add_text(line, "cgroup", mp_profile_cgroup(profile, row->cgroup, id));
	mp_json_add_number(line, "cgroup_id", row->kind == MP_ROW_CGROUP &&
			   row->cgroup & MP_CGROUP_MADE_UP ? 0 : row->cgroup);
	add_container(line, profile, row->cgroup);
	if (row->kind == MP_ROW_PROCESS) {
		mp_json_add_number(line, "start_ns", row->start_ns);
		mp_json_add_number(line, "exit_ns", row->exit_ns);
		if (row->began_ns)
			mp_json_add_number(line, "began_ns", row->began_ns);
		if (row->peak_before)
			mp_json_add_number(line, "peak_before_space", row->peak_before);
		if (row->signal && !mp_row_is_sum(row))
			mp_json_add_number(line, "signal", row->signal);
	}
	if (row->kind == MP_ROW_CGROUP || row->nr_processes)
		mp_json_add_number(line, "processes", row->nr_processes);
}

/* Adds the function, file and line of a location, as far as its scope has them. */
static void add_names(struct json_object *line,
		      const struct mp_profile *profile,
		      const struct mp_location *location)
{
	const struct mp_line *found = mp_profile_line(profile, location);
	const char *function, *file;

	if (!found || location->scope > MP_SCOPE_SOURCE)
		return;
	function = mp_symbols_text(&profile->symbols, found->function);
	file = mp_symbols_text(&profile->symbols, found->file);
	if (function && location->scope != MP_SCOPE_SOURCE)
		mp_json_add_text(line, "function", function);
	if (file)
		mp_json_add_text(line, "file", file);
	if (location->scope > MP_SCOPE_LINE)
		return;
	if (mp_location_is_near(profile, location))
		mp_json_add_flag(line, "callsite_missing", true);
	if (found->line)
		mp_json_add_number(line, "line", found->line);
	mp_json_add_number(line, "distance", found->distance);
}

/* Adds who keeps most of the pages of the freed blocks of a callsite. */
static void add_keeper(struct json_object *line, const struct mp_profile *profile,
		       const struct mp_row *row, bool names)
{
	struct json_object *keeper = json_object_new_object();

	if (keeper) {
		mp_json_add_number(keeper, "bytes", row->kept);
		add_location(keeper, profile, &row->keeper);
		if (names)
			add_names(keeper, profile, &row->keeper);
		else
			mp_json_add_stack(keeper, profile, &row->keeper);
	}
	mp_json_add(line, "keeper", keeper);
}

static void add_site(struct json_object *line,
		     const struct mp_profile *profile, const struct mp_row *row,
		     bool names)
{
	mp_json_add_number(line, "pid", row->pid);
	mp_json_add_text(line, "comm", row->comm);
	mp_json_add_number(line, "cgroup_id", row->cgroup);
	mp_json_add_number(line, "start_ns", row->start_ns);
	mp_json_add_number(line, "processes", row->nr_processes);
	add_location(line, profile, &row->location);
	if (!names)
		mp_json_add_stack(line, profile, &row->location);
	else if (row->kind == MP_ROW_STACK && row->location.stack)
		mp_json_add_points(line, profile, &row->location);
	else
		add_names(line, profile, &row->location);
	if (row->kept)
		add_keeper(line, profile, row, names);
}

static const char *type_of(const struct mp_row *row)
{
	return row->flags & MP_ROW_HOST ? "host" : mp_json_types[row_types[row->kind]];
}

/* Which values a line has: a program that reads it takes what is missing as 0. */
enum values {
	ALL_VALUES,
	VALUES_BUT_0,
	NO_VALUES,
};

static struct json_object *make_row(const struct mp_profile *profile,
				    const struct mp_row *row, bool names,
				    enum values values)
{
	struct json_object *line = mp_json_open(type_of(row));
	int i;

	if (!line)
		return NULL;
	if (row->host && row->host <= profile->hosts.nr)
		mp_json_add_text(line, "host", profile->hosts.list[row->host - 1]);
	if (row->flags & MP_ROW_HOST)
		mp_json_add_number(line, "processes", row->nr_processes);
	else if (mp_row_has_location(row))
		add_site(line, profile, row, names);
	else
		add_identity(line, profile, row);
	for (i = 0; i < MP_JSON_NR_ROW_BITS; i++)
		if (row->flags & mp_json_row_bits[i].bit)
			mp_json_add_flag(line, mp_json_row_bits[i].key, true);
	for (i = 0; values != NO_VALUES && i < MP_NR_METRICS; i++)
		if (row->value[i] ||
		    (values == ALL_VALUES && mp_metric_is_known(i, row->value)))
			mp_json_add_metric(line, i, row->value[i]);
	return line;
}

void mp_json_row(FILE *file, const struct mp_profile *profile,
		 const struct mp_row *row)
{
	mp_json_close(file, make_row(profile, row, false, ALL_VALUES));
}

size_t mp_json_nr_lines(const struct mp_profile *profile)
{
	return profile->frames.nr + profile->nr_rows +
	       mp_json_nr_series(profile);
}

/*
 * Writes line @i. Lines of frames come first, then lines of rows, then of
 * series.
 */
static void write_line(FILE *file, const struct mp_profile *profile, size_t i,
		       bool bare)
{
	struct json_object *line;
	const struct mp_row *row;
	size_t nr = profile->frames.nr + profile->nr_rows;

	if (i >= nr) {
		line = open_line(MP_JSON_SERIES);
		if (line)
			mp_json_add_series(line, profile, i - nr);
		mp_json_close(file, line);
		return;
	}
	if (i >= profile->frames.nr) {
		row = &profile->rows[i - profile->frames.nr];
		mp_json_close(file, make_row(profile, row, false,
					     bare && row->kind != MP_ROW_CGROUP ?
					     NO_VALUES : VALUES_BUT_0));
		return;
	}
	line = open_line(MP_JSON_FRAME);
	if (line)
		mp_json_add_frame(line, profile, i);
	mp_json_close(file, line);
}

void mp_json_line(FILE *file, const struct mp_profile *profile, size_t i)
{
	write_line(file, profile, i, false);
}

void mp_json_line_bare(FILE *file, const struct mp_profile *profile, size_t i)
{
	write_line(file, profile, i, true);
}

static void add_meta(struct json_object *line, const struct mp_meta *meta)
{
	const struct memprof_status *status = &meta->status;
	const char *base = (const char *)meta;
	uint64_t wide;
	uint32_t narrow;
	int i;

	if (status->state < MP_JSON_NR_STATES)
		mp_json_add_text(line, "state", mp_json_states[status->state]);
	mp_json_add_flag(line, "failed", status->flags & MEMPROF_STATUS_FAILED);
	mp_json_add_flag(line, "faults", status->streams & MEMPROF_START_FAULTS);
	mp_json_add_flag(line, "growth", status->streams & MEMPROF_START_GROWTH);
	mp_json_add_flag(line, "alloc", status->streams & MEMPROF_START_ALLOC);
	mp_json_add_text(line, "source", mp_source_name(meta->source));
	mp_json_add_text(line, "targets", meta->targets);
	for (i = 0; i < MP_JSON_NR_FIELDS; i++) {
		memcpy(&narrow, base + mp_json_fields[i].offset, 4);
		wide = narrow;
		if (mp_json_fields[i].size == 8)
			memcpy(&wide, base + mp_json_fields[i].offset, 8);
		mp_json_add_number(line, mp_json_fields[i].key, wide);
	}
}

void mp_json_status(FILE *file, const struct mp_meta *meta)
{
	struct json_object *line = open_line(MP_JSON_STATUS);

	if (line)
		add_meta(line, meta);
	mp_json_close(file, line);
}

static void add_totals(struct json_object *line, const struct mp_total *total)
{
	struct json_object *values = json_object_new_object();
	int i;

	for (i = 0; values && i < MP_NR_METRICS; i++)
		if (mp_metrics[i].nature != MP_PEAK &&
		    mp_metric_is_known(i, total->value))
			mp_json_add_metric(values, i, total->value[i]);
	mp_json_add(line, "totals", values);
}

static void add_counters(struct json_object *line,
			 const struct mp_profile *profile)
{
	struct json_object *values = json_object_new_object();
	size_t i;

	for (i = 0; values && i < profile->nr_counters; i++)
		json_object_object_add(values, profile->counters[i].name,
			json_object_new_uint64(profile->counters[i].value));
	mp_json_add(line, "counters", values);
}

static void add_health(struct json_object *line,
		       const struct mp_profile *profile)
{
	struct json_object *values;
	struct mp_health health;

	if (!mp_health_of(profile, &health) || !health.nr)
		return;
	values = json_object_new_object();
	if (!values)
		return;
	mp_json_add_number(values, "samples", health.nr);
	mp_json_add_number(values, "shallow", health.nr_shallow);
	mp_json_add_number(values, "deep", health.nr_deep);
	mp_json_add_number(values, "min_depth", health.min_depth);
	mp_json_add(values, "mean_depth", json_object_new_double(health.mean_depth));
	mp_json_add(values, "truncation_rate", json_object_new_double(health.rate));
	mp_json_add_text(values, "confidence", health.confidence);
	mp_json_add(line, "stacks", values);
}

/* How COLD was found, in a report that was asked for it. */
static void add_cold(struct json_object *line, const struct mp_cold_meta *cold)
{
	static const char * const ways[] = { "none", "damon", "page_idle" };
	struct json_object *values;

	if (!cold->least_ns)
		return;
	values = json_object_new_object();
	if (!values)
		return;
	mp_json_add_text(values, "way", ways[cold->way]);
	mp_json_add_number(values, "seconds_ns", cold->least_ns);
	mp_json_add_number(values, "watched_ns", cold->spent_ns);
	mp_json_add_number(values, "watched_processes", cold->nr_processes);
	mp_json_add_number(values, "cpu_ns", cold->cpu_ns);
	mp_json_add_number(values, "coldest_tenth_ns", cold->tenth_ns);
	mp_json_add(line, "cold", values);
}

static void add_warnings(struct json_object *line,
			 const struct mp_profile *profile)
{
	struct json_object *list;
	size_t i;

	if (!profile->nr_warnings)
		return;
	list = json_object_new_array();
	for (i = 0; list && i < profile->nr_warnings; i++)
		json_object_array_add(list, json_object_new_string(
			profile->warnings[i]));
	mp_json_add(line, "warnings", list);
}

static void write_summary(FILE *file, const struct mp_profile *profile,
			  enum mp_row_kind kind, const struct mp_total *total,
			  size_t nr_shown, size_t nr_hidden)
{
	const uint64_t rate = mp_alloc_distance(&profile->meta.alloc, total->value);
	struct json_object *line = open_line(MP_JSON_SUMMARY);

	if (!line)
		return mp_json_close(file, NULL);
	add_meta(line, &profile->meta);
	mp_json_add_text(line, "by", mp_json_types[row_types[kind]]);
	mp_json_add_number(line, "rows", nr_shown);
	mp_json_add_number(line, "rows_hidden", nr_hidden);
	mp_json_add_number(line, "rows_exited", total->nr_exited);
	mp_json_add_number(line, "inuse_error",
			   mp_metric_error(total->value[MP_INUSE_SPACE], rate));
	mp_json_add_number(line, "at_peak_error",
			   mp_metric_error(total->value[MP_AT_PEAK], rate));
	add_totals(line, total);
	add_counters(line, profile);
	add_health(line, profile);
	add_cold(line, &profile->meta.cold);
	add_warnings(line, profile);
	mp_json_close(file, line);
}

void mp_json_summary(FILE *file, const struct mp_profile *profile,
		     enum mp_row_kind kind, size_t nr_hidden)
{
	struct mp_total total;

	mp_profile_total(profile, kind, &total);
	write_summary(file, profile, kind, &total, total.nr_rows - nr_hidden,
		      nr_hidden);
}

void mp_json_tree_summary(FILE *file, const struct mp_profile *profile,
			  size_t nr_shown, size_t nr_hidden)
{
	struct mp_total total;

	mp_profile_total(profile, MP_ROW_SITE, &total);
	write_summary(file, profile, MP_ROW_SITE, &total, nr_shown, nr_hidden);
}

void mp_json_error(FILE *file, int err, const char *action)
{
	struct json_object *line = open_line(MP_JSON_ERROR);

	if (line) {
		mp_json_add_number(line, "errno", err);
		mp_json_add_text(line, "message", action);
	}
	mp_json_close(file, line);
}

void mp_json_end(FILE *file)
{
	mp_json_close(file, open_line(MP_JSON_END));
}

static void json_row(struct mp_out *out, const struct mp_row *row)
{
	struct json_object *line = make_row(out->profile, row, true, ALL_VALUES);
	const struct mp_row *rows[MP_MAX_TOP];
	struct json_object *list;
	size_t i, nr;

	if (line && out->top && row->kind == MP_ROW_CGROUP) {
		list = json_object_new_array();
		nr = mp_out_top(out, row, rows);
		for (i = 0; list && i < nr; i++)
			json_object_array_add(list, make_row(out->profile,
							     rows[i], true,
							     ALL_VALUES));
		mp_json_add(line, "top", list);
	}
	mp_json_close(out->file, line);
}

static void json_end(struct mp_out *out)
{
	mp_json_summary(out->file, out->profile, out->kind, out->nr_hidden);
}

const struct mp_out_ops mp_json_ops = {
	.row = json_row,
	.end = json_end,
};
