// SPDX-License-Identifier: GPL-2.0-only
/*
 * html-origin: writes where the numbers of the page come from
 *
 * What is not known is an empty text or 0, and the page leaves it out.
 */
#include "html.h"
#include "json-text.h"

#include <inttypes.h>

void mp_html_string(FILE *file, const char *key, const char *text)
{
	fprintf(file, "\"%s\":", key);
	mp_json_text(file, text);
}

static bool is_estimate(const struct mp_profile *profile, enum mp_metric metric)
{
	const struct mp_meta *meta = &profile->meta;

	return mp_metric_is_estimate(metric, meta->status.minor_period,
				     meta->status.major_period,
				     meta->alloc.rate);
}

void mp_html_metric(FILE *file, const struct mp_profile *profile,
		    enum mp_metric metric)
{
	const struct mp_metric_info *info = &mp_metrics[metric];

	fputc('{', file);
	mp_html_string(file, "key", info->key);
	fputc(',', file);
	mp_html_string(file, "heading", info->heading);
	fputc(',', file);
	mp_html_string(file, "description", info->description);
	fprintf(file, ",\"unit\":\"%s\",\"estimate\":%s",
		info->unit == MP_UNIT_BYTES ? "bytes" : "count",
		is_estimate(profile, metric) ? "true" : "false");
}

static void write_times(FILE *file, const struct mp_meta *meta)
{
	const struct memprof_status *status = &meta->status;
	const bool stopped = status->state == MEMPROF_STATE_STOPPED;
	const uint64_t end = mp_status_end_ns(status);
	const uint64_t begin = status->reset_ns, zero = meta->origin.zero_ns;
	const uint64_t span = end > begin ? end - begin : 0;

	fprintf(file, "\"begin_ms\":%" PRIu64 ",\"span_ns\":%" PRIu64
		",\"running\":%s", zero ? (zero + begin) / 1000000 : 0, span,
		stopped ? "false" : "true");
}

/* Whether a process may have blocks from before the recording */
static bool has_older(const struct mp_export *export)
{
	const struct mp_profile *profile = export->profile;
	const struct mp_row *row;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == MP_ROW_PROCESS && mp_row_is_older(row, &profile->meta))
			return true;
	return false;
}

void mp_html_origin(const struct mp_export *export)
{
	const struct mp_meta *meta = &export->profile->meta;
	const struct mp_origin *origin = &meta->origin;
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "title", export->title }, { "from", export->from ?: "" },
		{ "about", export->exporter },
		{ "host", origin->host }, { "kernel", origin->kernel },
		{ "machine", origin->machine }, { "command", origin->command },
		{ "target", origin->target },
		{ "source", mp_source_name(meta->source) },
	};
	FILE *file = export->file;
	size_t i;

	fputs("\"origin\":{", file);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		mp_html_string(file, texts[i].key, texts[i].text);
		fputc(',', file);
	}
	write_times(file, meta);
	fprintf(file, ",\"samplers\":%" PRIu32 ",\"rate\":%" PRIu64
		",\"streams\":%" PRIu32 ",\"older\":%s},\n", meta->alloc.nr_samplers,
		meta->alloc.rate, meta->status.streams, has_older(export) ? "true" : "false");
}
