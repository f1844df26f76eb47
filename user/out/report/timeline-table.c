// SPDX-License-Identifier: GPL-2.0-only
/*
 * timeline-table: writes series as a table
 *
 * A line stands for an equal part of the time, and shows the highest values in it; the last
 * line has the values of the end. What did not change after some time keeps its last value.
 * Nothing is allocated.
 */
#include "timeline-table.h"
#include "human.h"

#include <inttypes.h>

#define BAR_WIDTH	40

static const enum mp_metric metrics[MP_NR_SERIES] = {
	[MP_SERIES_LIVE] = MP_INUSE_SPACE,
	[MP_SERIES_GROWTH] = MP_GROWTH,
	[MP_SERIES_RESIDENT] = MP_RESIDENT,
};

/* From left to right; the first one that has values gets the bars. */
static const enum mp_series_kind order[MP_NR_SERIES] = {
	MP_SERIES_RESIDENT, MP_SERIES_LIVE, MP_SERIES_GROWTH,
};

struct span {
	uint64_t begin_ns, end_ns;
	bool is_last;
};

static struct span whole_span(const struct mp_profile *profile)
{
	struct span span = { .begin_ns = UINT64_MAX };
	const struct mp_series *series;
	size_t i;

	for (i = 0; i < MP_NR_SERIES; i++) {
		series = &profile->series[i];
		if (!series->nr)
			continue;
		if (series->start_ns < span.begin_ns)
			span.begin_ns = series->start_ns;
		if (series->start_ns + series->nr * series->step_ns > span.end_ns)
			span.end_ns = series->start_ns + series->nr * series->step_ns;
	}
	return span;
}

/* Finds the value of a part of the time; returns false if there is none yet. */
static bool value_in(const struct mp_series *series, const struct span *part,
		     int64_t *value)
{
	uint64_t first, last, i;

	if (!series->nr || part->end_ns <= series->start_ns)
		return false;
	/* the last step holds its highest value, which may be over */
	if (part->is_last ||
	    part->begin_ns >= series->start_ns + series->nr * series->step_ns) {
		*value = series->last;
		return true;
	}
	first = part->begin_ns <= series->start_ns ? 0 :
		(part->begin_ns - series->start_ns) / series->step_ns;
	last = (part->end_ns - 1 - series->start_ns) / series->step_ns;
	last = last < series->nr ? last : series->nr - 1;
	*value = series->value[last];
	for (i = first; i < last; i++)
		if (series->value[i] > *value)
			*value = series->value[i];
	return true;
}

static void write_bar(FILE *file, int64_t value, int64_t most)
{
	int i, width = value > 0 && most > 0 ?
		       (int)((double)value / (double)most * BAR_WIDTH + 0.5) : 0;

	fputs("  ", file);
	for (i = 0; i < width; i++)
		fputc('#', file);
}

static int64_t highest_of(const struct mp_series *series)
{
	int64_t most = 0;
	uint32_t i;

	for (i = 0; i < series->nr; i++)
		most = series->value[i] > most ? series->value[i] : most;
	return most;
}

static void write_line(FILE *file, const struct mp_profile *profile,
		       const struct span *whole, const struct span *part)
{
	const struct mp_series *series, *barred = NULL;
	char text[MP_HUMAN_SIZE];
	int64_t value, bar = 0;
	size_t i;

	fprintf(file, "%9s", mp_human_span(text, part->end_ns - whole->begin_ns));
	for (i = 0; i < MP_NR_SERIES; i++) {
		series = &profile->series[order[i]];
		if (!series->nr)
			continue;
		text[0] = '-', text[1] = '\0';
		if (value_in(series, part, &value)) {
			mp_human_metric(text, metrics[order[i]], (uint64_t)value, false);
			bar = barred ? bar : value;
		}
		barred = barred ?: series;
		fprintf(file, "  %8s", text);
	}
	write_bar(file, bar, highest_of(barred));
	fputc('\n', file);
}

bool mp_timeline_table(FILE *file, const struct mp_profile *profile, size_t nr)
{
	const struct span whole = whole_span(profile);
	uint64_t length;
	struct span part = { 0 };
	size_t i, lines = 0;

	for (i = 0; i < MP_NR_SERIES; i++)
		if (profile->series[order[i]].nr > lines)
			lines = profile->series[order[i]].nr;
	if (!lines)
		return false;
	lines = lines < nr ? lines : nr;
	fprintf(file, "%9s", "TIME");
	for (i = 0; i < MP_NR_SERIES; i++)
		if (profile->series[order[i]].nr)
			fprintf(file, "  %8s", mp_metrics[metrics[order[i]]].heading);
	fputc('\n', file);
	length = (whole.end_ns - whole.begin_ns) / lines;
	for (i = 0; i < lines; i++) {
		part.begin_ns = whole.begin_ns + i * length;
		/* a single line has the highest values of all */
		part.is_last = lines > 1 && i + 1 == lines;
		part.end_ns = i + 1 < lines ? part.begin_ns + length : whole.end_ns;
		write_line(file, profile, &whole, &part);
	}
	return true;
}
