// SPDX-License-Identifier: GPL-2.0-only
/*
 * leaks-table: writes growth per hour with its interval, and when it ends
 */
#include "leaks-table.h"
#include "human.h"
#include "json-text.h"
#include "trend.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define HOUR		3600.0
#define SPAN_SIZE	24
#define CELL_SIZE	64

static double last_value(const struct mp_growth *growth, const struct mp_growth_row *row)
{
	return growth->nr ? row->values[growth->nr - 1] : 0;
}

/* Seconds until memory.max is reached; INFINITY if there is none. */
static double seconds_left(const struct mp_leaks_view *view, size_t at,
			   const struct mp_growth_row *row)
{
	return view->limited[at] ? (double)view->rooms[at] / row->trend.slope : INFINITY;
}

static const char *bytes(char *text, double value, bool exact)
{
	/* intervals may have no end */
	const uint64_t number = (uint64_t)fmin(fmax(value, 0), 9e18);

	if (exact)
		snprintf(text, CELL_SIZE, "%" PRIu64, number);
	else
		mp_human_bytes(text, number);
	return text;
}

static void write_time(char *text, uint64_t seconds)
{
	const time_t when = (time_t)seconds;
	struct tm local;

	if (!localtime_r(&when, &local) ||
	    !strftime(text, CELL_SIZE, "%Y-%m-%d %H:%M", &local))
		strcpy(text, "-");
}

/* In one unit: 40m, 5h, 12d. */
static void write_left(char *text, double seconds)
{
	if (seconds > 1000 * 24 * HOUR)
		strcpy(text, "-");
	else if (seconds >= 48 * HOUR)
		snprintf(text, CELL_SIZE, "%.0fd", seconds / (24 * HOUR));
	else if (seconds >= 2 * HOUR)
		snprintf(text, CELL_SIZE, "%.0fh", seconds / HOUR);
	else if (seconds >= 120)
		snprintf(text, CELL_SIZE, "%.0fm", seconds / 60);
	else
		snprintf(text, CELL_SIZE, "%.0fs", seconds);
}

static void write_build_id(char *text, const struct mp_growth_row *row, size_t size)
{
	size_t i, nr = row->build_id_size < size ? row->build_id_size : size;

	for (i = 0; i < nr && i < sizeof(row->build_id); i++)
		sprintf(text + 2 * i, "%02x", row->build_id[i]);
	text[2 * i] = '\0';
}

static const char *name_of(const struct mp_growth *growth, uint32_t name)
{
	return growth->names.list[name];
}

static const char *kind_names(const struct mp_growth *growth)
{
	return growth->kind == MP_ROW_SITE ? "callsites" :
	       growth->kind == MP_ROW_CGROUP ? "cgroups" : "commands";
}

static const char *kind_name(const struct mp_growth *growth)
{
	return growth->kind == MP_ROW_SITE ? "callsite" :
	       growth->kind == MP_ROW_CGROUP ? "cgroup" : "command";
}

static size_t nr_shown(const struct mp_growth *growth, const struct mp_leaks_view *view)
{
	return view->limit && view->limit < growth->nr_rows ? view->limit : growth->nr_rows;
}

static void put_row(FILE *file, const struct mp_growth *growth,
		    const struct mp_leaks_view *view, size_t i)
{
	const struct mp_growth_row *row = &growth->rows[i];
	char slope[CELL_SIZE], low[CELL_SIZE], high[CELL_SIZE], level[CELL_SIZE];
	char since[CELL_SIZE], left[CELL_SIZE], range[2 * CELL_SIZE + 2];
	char id[2 * MP_BUILD_ID_SIZE + 1];

	snprintf(range, sizeof(range), "%s..%s",
		 bytes(low, row->trend.low * HOUR, view->exact),
		 bytes(high, row->trend.high * HOUR, view->exact));
	write_time(since, view->times_s[row->trend.begin]);
	write_left(left, seconds_left(view, i, row));
	write_build_id(id, row, 4);
	fprintf(file, "%8s  %-15s %7s  %s%-16s  %7s  %-15s  %s%s%s%s%s%s\n",
		bytes(slope, row->trend.slope * HOUR, view->exact), range,
		bytes(level, last_value(growth, row), view->exact),
		row->trend.begin ? " " : "<", since, left,
		*name_of(growth, row->comm) ? name_of(growth, row->comm) : "-",
		name_of(growth, row->shown), *name_of(growth, row->name) ? "  " : "",
		name_of(growth, row->name), *id ? " [build " : "", id, *id ? "]" : "");
}

static void put_footer(FILE *file, const struct mp_growth *growth,
		       const struct mp_leaks_view *view)
{
	char from[CELL_SIZE], to[CELL_SIZE], span[MP_HUMAN_SIZE], least[MP_HUMAN_SIZE];
	const double seconds = growth->nr ? growth->times[growth->nr - 1] - growth->times[0] : 0;

	write_time(from, growth->nr ? view->times_s[0] : 0);
	write_time(to, growth->nr ? view->times_s[growth->nr - 1] : 0);
	fprintf(file, "\n%s that keep growing: %zu, in %zu snapshots of %s, from %s to %s\n",
		kind_names(growth), growth->nr_rows, growth->nr,
		mp_human_span(span, (uint64_t)(seconds * 1e9)), from, to);
	fprintf(file, "/H is the slope of %s by Theil and Sen, with its %.1f %% interval by Sen; <: or before;\n"
		"not shown: below %s in all%s, what returns to its floor, and what was filled once\n",
		mp_metrics[growth->metric].heading, 100 * MP_TREND_CONFIDENCE,
		mp_human_bytes(least, view->least),
		growth->rate > 1 ? ", 4 samples or 3 errors of the growth" : "");
	if (growth->nr_dropped)
		fprintf(file, "%zu rows beyond the limit of %d were not looked at\n",
			growth->nr_dropped, MP_GROWTH_MAX_ROWS);
}

void mp_leaks_table(FILE *file, const struct mp_growth *growth,
		    const struct mp_leaks_view *view)
{
	size_t i;

	if (growth->nr_rows)
		fprintf(file, "%8s  %-15s %7s  %-17s  %7s  %-15s  CGROUP%s\n", "/H", "INTERVAL",
			mp_metrics[growth->metric].heading, "SINCE", "FULL IN", "COMM",
			growth->kind == MP_ROW_SITE ? "  CALLSITE" : "");
	for (i = 0; i < nr_shown(growth, view); i++)
		put_row(file, growth, view, i);
	if (i < growth->nr_rows)
		fprintf(file, "... and %zu more (-n 0 shows all)\n", growth->nr_rows - i);
	put_footer(file, growth, view);
}

static void put_number(FILE *file, const char *key, double value)
{
	if (isfinite(value))
		fprintf(file, ",\"%s\":%.0f", key, value);
}

static void put_text(FILE *file, const char *key, const char *text)
{
	if (!*text)
		return;
	fprintf(file, ",\"%s\":", key);
	mp_json_text(file, text);
}

static void put_object(FILE *file, const struct mp_growth *growth,
		       const struct mp_leaks_view *view, size_t i)
{
	const struct mp_growth_row *row = &growth->rows[i];
	char id[2 * MP_BUILD_ID_SIZE + 1];

	fputs("{\"type\":\"leak\"", file);
	put_text(file, "kind", kind_name(growth));
	put_text(file, "callsite", name_of(growth, row->name));
	put_text(file, "comm", name_of(growth, row->comm));
	put_text(file, "cgroup", name_of(growth, row->cgroup));
	if (row->shown != row->cgroup)
		put_text(file, "cgroup_name", name_of(growth, row->shown));
	write_build_id(id, row, sizeof(row->build_id));
	put_text(file, "build_id", id);
	put_number(file, "bytes_per_hour", row->trend.slope * HOUR);
	put_number(file, "bytes_per_hour_low", row->trend.low * HOUR);
	put_number(file, "bytes_per_hour_high", row->trend.high * HOUR);
	put_number(file, mp_metrics[growth->metric].key, last_value(growth, row));
	put_number(file, "since_s", (double)view->times_s[row->trend.begin]);
	fprintf(file, ",\"since_before\":%s", row->trend.begin ? "false" : "true");
	if (view->limited[i]) {
		put_number(file, "memory_max_room", (double)view->rooms[i]);
		put_number(file, "memory_max_in_s", seconds_left(view, i, row));
	}
	fputs("}\n", file);
}

void mp_leaks_json(FILE *file, const struct mp_growth *growth,
		   const struct mp_leaks_view *view)
{
	size_t i;

	for (i = 0; i < nr_shown(growth, view); i++)
		put_object(file, growth, view, i);
	fprintf(file, "{\"type\":\"summary\",\"leaks\":%zu,\"snapshots\":%zu", growth->nr_rows,
		growth->nr);
	put_text(file, "metric", mp_metrics[growth->metric].key);
	put_text(file, "estimator", "theil-sen");
	fprintf(file, ",\"confidence\":%.3f", MP_TREND_CONFIDENCE);
	if (growth->nr) {
		put_number(file, "from_s", (double)view->times_s[0]);
		put_number(file, "to_s", (double)view->times_s[growth->nr - 1]);
	}
	fprintf(file, ",\"least_bytes\":%" PRIu64 ",\"rows_dropped\":%zu}\n", view->least,
		growth->nr_dropped);
}
