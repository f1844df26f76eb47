// SPDX-License-Identifier: GPL-2.0-only
/*
 * html-series: writes the values over time of the page
 */
#include "html.h"
#include "cgroup-short.h"
#include "location-text.h"
#include "text.h"

#include <inttypes.h>

static const char * const names[MP_NR_SERIES] = {
	"inuse_space", "growth_space", "resident_space",
};

static void write_series(FILE *file, const struct mp_series *series)
{
	uint32_t i;

	fprintf(file, "{\"start_ns\":%" PRIu64 ",\"step_ns\":%" PRIu64
		",\"values\":[", series->start_ns, series->step_ns);
	for (i = 0; i < series->nr; i++)
		fprintf(file, "%s%" PRId64, i ? "," : "", series->value[i]);
	fputs("]}", file);
}

/* Returns the row of a stack; its callsite is known. */
static const struct mp_row *row_of(const struct mp_profile *profile, uint32_t stack)
{
	size_t i;

	for (i = 0; stack && i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_STACK &&
		    profile->rows[i].location.stack == stack)
			return &profile->rows[i];
	return NULL;
}

static void write_owner(const struct mp_export *export,
			const struct mp_timeline_owner *owner)
{
	const struct mp_profile *profile = export->profile;
	char id[MP_CGROUP_ID_SIZE], text[MP_LOCATION_TEXT_SIZE] = "";
	const struct mp_row *row = row_of(profile, owner->stack);
	FILE *file = export->file;

	fprintf(file, "{\"pid\":%" PRIu32 ",", owner->pid);
	mp_text_escape(text, sizeof(text), owner->comm, sizeof(owner->comm));
	mp_html_string(file, "comm", text);
	fputc(',', file);
	mp_html_string(file, "cgroup", mp_container_shown(text, sizeof(text), profile,
							  owner->cgroup, true) ? text :
		       mp_profile_cgroup(profile, owner->cgroup, id));
	text[0] = '\0';
	if (row)
		mp_location_row(profile, row, text);
	fputc(',', file);
	mp_html_string(file, "name", text);
	fputc('}', file);
}

static void write_point(FILE *file, const struct mp_timeline_point *point)
{
	size_t i;

	fprintf(file, "{\"time_ns\":%" PRIu64 ",\"since_ns\":%" PRIu64 ",\"total\":%" PRIu64
		",\"peak\":%s,\"values\":[", point->time_ns, point->since_ns, point->total,
		 point->is_peak ? "true" : "false");
	for (i = 0; i < point->nr; i++)
		fprintf(file, "%s[%" PRIu32 ",%" PRIu64 "]", i ? "," : "",
			point->shares[i].owner, point->shares[i].bytes);
	fputs("]}", file);
}

static void write_track(FILE *file, const char *name,
			const struct mp_timeline_track *track, const char **comma)
{
	size_t i;

	if (!track->nr)
		return;
	fprintf(file, "%s\"%s\":{\"points\":[", *comma, name);
	for (i = 0; i < track->nr; i++) {
		fputs(i ? ",\n" : "\n", file);
		write_point(file, &track->points[i]);
	}
	fputs("]}", file);
	*comma = ",";
}

static void write_timeline(const struct mp_export *export)
{
	const struct mp_timeline *timeline = &export->profile->timeline;
	const char *comma = "";
	FILE *file = export->file;
	size_t i;

	fputs("\"timeline\":{\"who\":[", file);
	for (i = 0; i < timeline->nr_owners; i++) {
		fputs(i ? ",\n" : "\n", file);
		write_owner(export, &timeline->owners[i]);
	}
	fputs("],\"tracks\":{", file);
	if (timeline->live.nr > 1)
		write_track(file, names[MP_SERIES_LIVE], &timeline->live, &comma);
	if (timeline->resident.nr > 1)
		write_track(file, names[MP_SERIES_RESIDENT], &timeline->resident,
			    &comma);
	fputs("}},\n", file);
}

void mp_html_series(const struct mp_export *export)
{
	const struct mp_profile *profile = export->profile;
	FILE *file = export->file;
	const char *comma = "";
	int kind;

	fputs("\"series\":{", file);
	for (kind = 0; kind < MP_NR_SERIES; kind++) {
		if (!profile->series[kind].nr)
			continue;
		fprintf(file, "%s\"%s\":", comma, names[kind]);
		write_series(file, &profile->series[kind]);
		comma = ",";
	}
	fputs("},\n", file);
	write_timeline(export);
}
