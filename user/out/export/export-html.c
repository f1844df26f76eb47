// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-html: writes an HTML page that needs no other file
 *
 * The constant parts of the page come from page/. This file and html-* write the page's
 * data as JSON. Names are escaped, so that they cannot end the script element (json-text).
 * If memory is short, -ENOMEM is returned.
 */
#include "footer.h"
#include "cgroup-short.h"
#include "growers.h"
#include "html.h"
#include "json-text.h"
#include "keepers-text.h"
#include "page-text.h"
#include "location-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Limit of callsites in the page. Other formats have no limit. */
#define MAX_SITES	5000

static void write_value(FILE *file, enum mp_metric metric, uint64_t value)
{
	if (mp_metrics[metric].is_signed)
		fprintf(file, "%" PRId64, (int64_t)value);
	else
		fprintf(file, "%" PRIu64, value);
}

/* Lists the metrics for which at least one row of a kind is not 0. */
static int find_metrics(const struct mp_profile *profile, enum mp_row_kind kind,
			enum mp_metric *metrics)
{
	bool has[MP_NR_METRICS] = { false };
	int metric, nr = 0;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		for (metric = 0; profile->rows[i].kind == kind &&
		     metric < MP_NR_METRICS; metric++)
			has[metric] |= profile->rows[i].value[metric] != 0;
	for (metric = 0; metric < MP_NR_METRICS; metric++)
		if (has[metric])
			metrics[nr++] = metric;
	return nr;
}

static void write_row(FILE *file, const struct mp_profile *profile,
		      const struct mp_row *row, const enum mp_metric *metrics,
		      int nr)
{
	char id[MP_CGROUP_ID_SIZE], location[MP_LOCATION_TEXT_SIZE] = "";
	char container[MP_CGROUP_SHORT_SIZE];
	const char *title;
	const char *note = row->flags & MP_ROW_OVERFLOW ? "table full" :
			   row->flags & MP_ROW_FOLDED ? "folded" :
			   row->flags & MP_ROW_EXITED ? "exited" :
			   row->flags & MP_ROW_LEFT ? "left" :
			   row->flags & MP_ROW_REMOVED ? "removed" : "";
	int i;

	if (mp_row_has_location(row))
		mp_location_row(profile, row, location);
	fprintf(file, "{\"pid\":%" PRIu32 ",\"sum\":%s,\"bound\":%s,",
		row->pid, mp_row_is_sum(row) ? "true" : "false",
		row->flags & MP_ROW_BOUND ? "true" : "false");
	mp_html_string(file, "note", note);
	fputc(',', file);
	mp_html_string(file, "comm", row->comm);
	fputc(',', file);
	mp_html_string(file, "cgroup", mp_profile_cgroup(profile, row->cgroup,
						       id));
	if (mp_container_shown(container, sizeof(container), profile, row->cgroup, true)) {
		fputc(',', file);
		mp_html_string(file, "container", container);
	}
	title = row->kind != MP_ROW_PROCESS || mp_row_is_sum(row) ? NULL :
		mp_id_names_find(&profile->titles, row->pid);
	if (mp_growers_leads(profile, row))
		fputs(",\"leads\":true", file);
	if (title) {
		fputc(',', file);
		mp_html_string(file, "title", title);
	}
	fputc(',', file);
	mp_html_string(file, "name", location);
	fputs(",\"values\":[", file);
	for (i = 0; i < nr; i++) {
		if (i)
			fputc(',', file);
		if (mp_metric_is_known(metrics[i], row->value))
			write_value(file, metrics[i], row->value[metrics[i]]);
		else
			fputs("null", file);
	}
	fputs("]}", file);
}

static void write_table(FILE *file, const struct mp_profile *profile,
			enum mp_row_kind kind, const char *name)
{
	enum mp_metric metrics[MP_NR_METRICS];
	int i, nr = find_metrics(profile, kind, metrics);
	size_t at, written = 0, hidden = 0;

	fprintf(file, "{\"kind\":\"%s\",\"metrics\":[", name);
	for (i = 0; i < nr; i++) {
		if (i)
			fputc(',', file);
		mp_html_metric(file, profile, metrics[i]);
		fputc('}', file);
	}
	fputs("],\"rows\":[", file);
	for (at = 0; at < profile->nr_rows; at++) {
		if (profile->rows[at].kind != kind)
			continue;
		if (kind == MP_ROW_SITE && written == MAX_SITES) {
			hidden++;
			continue;
		}
		fputs(written++ ? ",\n" : "\n", file);
		write_row(file, profile, &profile->rows[at], metrics, nr);
	}
	fprintf(file, "],\"hidden\":%zu}", hidden);
}

static void write_tables(FILE *file, const struct mp_profile *profile,
			 const struct mp_profile *sites)
{
	fputs("\"tables\":[", file);
	write_table(file, profile, MP_ROW_PROCESS, "process");
	fputc(',', file);
	write_table(file, profile, MP_ROW_CGROUP, "cgroup");
	fputc(',', file);
	write_table(file, sites ?: profile, MP_ROW_SITE, "callsite");
	fputs("],\n", file);
}

/* Writes the rows of a difference. */
static void write_difference(FILE *file, const struct mp_profile *profile,
			     const struct mp_difference *difference,
			     const char *kind)
{
	const struct mp_difference_row *row;
	const char *comma = "";
	size_t i;
	int metric;

	fprintf(file, "{\"kind\":\"%s\",\"metrics\":[", kind);
	for (metric = 0; metric < MP_NR_METRICS; metric++) {
		if (!difference->sum.before[metric] &&
		    !difference->sum.after[metric])
			continue;
		fputs(comma, file);
		mp_html_metric(file, profile, metric);
		fputc('}', file);
		comma = ",";
	}
	fputs("],\"rows\":[", file);
	for (i = 0; i < difference->nr && i < MAX_SITES; i++) {
		row = &difference->rows[i];
		fputs(i ? ",\n{" : "\n{", file);
		mp_html_string(file, "comm", difference->names.list[row->comm]);
		fputc(',', file);
		mp_html_string(file, "name", row->name == MP_NAMES_NONE ? "" :
			     difference->names.list[row->name]);
		fputs(",\"pid\":0,\"sum\":false,\"bound\":false,\"note\":\"\",\"cgroup\":\"\",\"values\":[", file);
		comma = "";
		for (metric = 0; metric < MP_NR_METRICS; metric++) {
			if (!difference->sum.before[metric] &&
			    !difference->sum.after[metric])
				continue;
			fprintf(file, "%s%" PRId64, comma,
				mp_difference_of(row, metric));
			comma = ",";
		}
		fputs("]}", file);
	}
	fprintf(file, "],\"hidden\":%zu}", difference->nr - i);
}

/* Writes the totals that are not 0. */
static void write_totals(FILE *file, const struct mp_profile *profile,
			 const int64_t *total)
{
	static const enum mp_metric shown[] = {
		MP_RESIDENT, MP_INUSE_SPACE, MP_AT_PEAK, MP_AT_EXIT,
		MP_ALLOC_SPACE, MP_ALLOC_OBJECTS,
		MP_TOUCHED, MP_GROWTH,
	};
	const char *comma = "";
	size_t i;

	fputs("\"totals\":[", file);
	for (i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (!total[shown[i]])
			continue;
		fputs(comma, file);
		mp_html_metric(file, profile, shown[i]);
		fprintf(file, ",\"value\":%" PRId64 "}", total[shown[i]]);
		comma = ",";
	}
	fputs("],\n", file);
}

static void write_differences(FILE *file, const struct mp_export *export)
{
	const struct mp_difference *processes = &export->difference[0];
	int64_t total[MP_NR_METRICS];
	int metric;

	for (metric = 0; metric < MP_NR_METRICS; metric++)
		total[metric] = mp_difference_of(&processes->sum, metric);
	write_totals(file, export->profile, total);
	fputs("\"tables\":[", file);
	write_difference(file, export->profile, processes, "process");
	fputc(',', file);
	write_difference(file, export->profile, &export->difference[1],
			 "callsite");
	fputs("],\n\"series\":{},\n\"histograms\":null,\n", file);
}

/*
 * Writes the sums of processes; or of callsites, which have more if processes that
 * exited held blocks: the sum of processes has levels only of those that run.
 */
static void write_sums(const struct mp_export *export)
{
	const struct mp_profile *profile = export->profile;
	int64_t total[MP_NR_METRICS];
	struct mp_total sum, sites;
	int metric;

	mp_profile_total(profile, MP_ROW_PROCESS, &sum);
	mp_profile_total(export->sites ?: profile, MP_ROW_SITE, &sites);
	for (metric = 0; metric < MP_NR_METRICS; metric++) {
		total[metric] = (int64_t)sum.value[metric];
		if (!mp_metrics[metric].is_signed &&
		    sites.value[metric] > sum.value[metric])
			total[metric] = (int64_t)sites.value[metric];
	}
	write_totals(export->file, profile, total);
}

static void write_bins(FILE *file, const char *key, const uint64_t *bins)
{
	int i;

	fprintf(file, "\"%s\":[", key);
	for (i = 0; i < MEMPROF_HISTOGRAM; i++)
		fprintf(file, "%s%" PRIu64, i ? "," : "", bins[i]);
	fputc(']', file);
}

static void write_histograms(FILE *file, const struct mp_profile *profile)
{
	struct mp_histogram sum = { 0 };
	const struct mp_histogram *one;
	bool any = false;
	size_t i, bin;

	for (i = 0; i < profile->nr_rows; i++) {
		if (profile->rows[i].kind != MP_ROW_SITE ||
		    !profile->rows[i].location.histogram)
			continue;
		one = &profile->histograms[profile->rows[i].location.histogram - 1];
		any = true;
		for (bin = 0; bin < MEMPROF_HISTOGRAM; bin++) {
			sum.sizes[bin] += one->sizes[bin];
			sum.lifetimes[bin] += one->lifetimes[bin];
		}
	}
	fputs("\"histograms\":", file);
	if (!any) {
		fputs("null,\n", file);
		return;
	}
	fputc('{', file);
	write_bins(file, "sizes", sum.sizes);
	fputc(',', file);
	write_bins(file, "lifetimes", sum.lifetimes);
	fputs("},\n", file);
}

static int write_footer(struct mp_export *export)
{
	const struct mp_profile *profile = export->profile;
	char *text = NULL;
	size_t size, i;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return -ENOMEM;
	mp_footer_all(file, profile);
	if (fclose(file)) {
		free(text);
		return -ENOMEM;
	}
	fputs("\"warnings\":[", export->file);
	for (i = 0; i < profile->nr_warnings; i++) {
		if (i)
			fputc(',', export->file);
		mp_json_text(export->file, profile->warnings[i]);
	}
	fputs("],\n", export->file);
	mp_html_string(export->file, "footer", text);
	free(text);
	return 0;
}

/* A keeper that is hard to find in a picture, because others hold more */
static bool is_hidden(const struct mp_keepers *found)
{
	if (!found->is_notable || found->other || found->nr_callers > 1)
		return false;
	return found->is_early || found->nr_callers ||
	       (found->renewer && found->renewer->value[found->held] >=
				  found->keeper->value[found->held]);
}

/*
 * Of the only process, if there is one: who keeps what it allocates, which is the lowest layer,
 * and what to search for
 */
static void write_keepers(const struct mp_export *export)
{
	const struct mp_profile *profile = export->profile;
	const struct mp_profile *sites = export->sites ?: profile;
	const struct mp_row *process = mp_profile_only_process(profile);
	char text[MP_KEEPERS_TEXT_SIZE] = "", keeper[MP_LOCATION_TEXT_SIZE] = "";
	struct mp_keepers found;
	bool hidden = true;

	if (export->sentence) {
		snprintf(text, sizeof(text), "%s", export->sentence);
		snprintf(keeper, sizeof(keeper), "%s", export->keeper ?: "");
	} else if (process && !export->difference) {
		found = mp_keepers_find(sites, &profile->meta, process, true);
		/* what was not freed at the end is in the page's own words */
		if (!found.left && !found.top)
			mp_keepers_text(text, sizeof(text), sites, process, true, &found);
		hidden = is_hidden(&found);
		if (found.is_notable)
			mp_location_row(sites, mp_keepers_row(&found), keeper);
	}
	mp_html_string(export->file, "keepers", text);
	fputc(',', export->file);
	mp_html_string(export->file, "keeper", keeper);
	fputc(',', export->file);
	mp_html_string(export->file, "suspect", hidden ? keeper : "");
	fputs(",\n", export->file);
}

static int write_html(struct mp_export *export)
{
	FILE *file = export->file;
	int err;

	fputs(mp_page_head, file);
	fputc('{', file);
	fprintf(file, "\"difference\":%s,\n",
		export->difference ? "true" : "false");
	mp_html_origin(export);
	write_keepers(export);
	if (export->difference) {
		write_differences(file, export);
	} else if (export->history) {
		mp_html_history(export);
	} else {
		write_sums(export);
		write_tables(file, export->profile, export->sites);
		mp_html_series(export);
		write_histograms(file, export->profile);
	}
	err = export->history ? mp_html_history_flame(export) : mp_html_flame(export);
	if (!err)
		err = write_footer(export);
	fputc('}', file);
	fputs(mp_page_tail, file);
	return err;
}

const struct mp_export_ops mp_export_html = {
	.name = "html",
	.summary = "a page to send to others: what was found, stacks, tables, time",
	.shape = MP_EXPORT_PAGE,
	.differs = true,
	.write = write_html,
};
