// SPDX-License-Identifier: GPL-2.0-only
/*
 * recording-moment: reads a recording once for its ends and for the times of its pages
 *
 * The first sample is not the earliest one, because each CPU has a ring, and what says when
 * the recording began is at its end.
 */
#include "recording-moment.h"
#include "perf-role.h"
#include "perf-writer.h"
#include "recorded-pages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void take_time(struct mp_recording_moment *moment, uint64_t time_ns)
{
	if (!moment->begin_ns || time_ns < moment->begin_ns)
		moment->begin_ns = time_ns;
	if (time_ns > moment->end_ns)
		moment->end_ns = time_ns;
}

static void take_sample(struct mp_recording_moment *moment, const struct mp_perf_file *file,
			const struct perf_event_header *record)
{
	struct mp_perf_sample sample;

	if (!mp_perf_sample_parse(&file->events, record, &sample))
		return;
	switch (file->events.list[sample.event].role) {
	case MP_ROLE_NONE:
	case MP_ROLE_COUNTER:
	case MP_ROLE_FUNCTION:
	case MP_ROLE_SECTION:
	case MP_ROLE_SUM:
		return;
	}
	take_time(moment, sample.time_ns);
}

static void take_span(struct mp_recording_moment *moment,
		      const struct perf_event_header *record)
{
	const struct mp_perf_piece *piece = mp_perf_piece_of(record, MP_PERF_PIECE_SPAN);
	struct mp_span_record span;

	if (!piece || piece->bytes < sizeof(span))
		return;
	memcpy(&span, piece + 1, sizeof(span));
	if (span.begin_ns)
		take_time(moment, span.begin_ns);
	take_time(moment, span.end_ns);
}

/* Returns the time of a row of the module's tallies, or 0 for other samples. */
static uint64_t time_of_tally(const struct mp_perf_file *file,
			      const struct perf_event_header *record)
{
	struct mp_perf_sample sample;

	return mp_perf_sample_parse(&file->events, record, &sample) &&
	       file->events.list[sample.event].role == MP_ROLE_SUM ? sample.time_ns : 0;
}

/*
 * Returns when pages were looked at, or tallies were taken, or 0 if the record does not have
 * the begin of such.
 */
static uint64_t time_of_moment(const struct mp_perf_file *file,
			       const struct perf_event_header *record)
{
	const struct mp_perf_piece *piece = mp_perf_piece_of(record, MP_PERF_PIECE_MOMENT);
	struct mp_pages_record pages = { 0 };

	if (record->type == PERF_RECORD_SAMPLE)
		return time_of_tally(file, record);
	if (piece && piece->bytes >= sizeof(pages))
		memcpy(&pages, piece + 1, sizeof(pages));
	return pages.time_ns;
}

static int find_ends(struct mp_recording_moment *moment, struct mp_perf_file *file)
{
	const struct perf_event_header *record;
	int got;

	while ((got = mp_perf_file_next(file, &record)) > 0) {
		if (record->type == PERF_RECORD_SAMPLE)
			take_sample(moment, file, record);
		else
			take_span(moment, record);
	}
	return got;
}

static int find_pages(struct mp_recording_moment *moment, struct mp_perf_file *file)
{
	const struct perf_event_header *record;
	uint64_t time_ns, last_ns = 0;
	int got;

	while ((got = mp_perf_file_next(file, &record)) > 0) {
		time_ns = time_of_moment(file, record);
		if (time_ns <= moment->until_ns && time_ns > last_ns)
			last_ns = time_ns;
	}
	moment->has_pages = last_ns > moment->begin_ns;
	if (moment->has_pages)
		moment->until_ns = last_ns;
	return got;
}

/* Opens the file, and has all of its records looked at. A file that is cut has its begin. */
static int walk(struct mp_recording_moment *moment, const char *path, char *why, size_t size,
		int (*find)(struct mp_recording_moment *moment, struct mp_perf_file *file))
{
	struct mp_perf_file file;
	int err = mp_perf_file_open(&file, path);
	size_t i;

	if (!err) {
		for (i = 0; i < file.events.nr; i++)
			mp_perf_role_set(&file.events.list[i]);
		err = find(moment, &file);
		err = err == -EBADMSG ? 0 : err;
	}
	snprintf(why, size, "%s", file.why);
	mp_perf_file_close(&file);
	return err;
}

int mp_recording_moment_find(struct mp_recording_moment *moment, const char *path,
			     uint64_t at_ns, char *why, size_t size)
{
	int err;

	*moment = (struct mp_recording_moment){ 0 };
	err = walk(moment, path, why, size, find_ends);
	if (err)
		return err;
	if (!moment->end_ns)
		return -EOPNOTSUPP;
	if (at_ns == MP_RECORDING_LAST_LOOK)
		at_ns = moment->end_ns - moment->begin_ns;
	if (at_ns > moment->end_ns - moment->begin_ns)
		return -ERANGE;
	moment->until_ns = moment->begin_ns + at_ns;
	return walk(moment, path, why, size, find_pages);
}
