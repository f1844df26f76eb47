/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tallies: reads the sums that a recording contains in addition to its events
 *
 * The values of each row are a sample of memprof:process or memprof:site, which
 * perf can show. After the samples, a piece describes the rows in the same
 * order, as JSON lines without these values. Recordings of older versions have
 * the values in the lines.
 */
#ifndef MP_TALLIES_H
#define MP_TALLIES_H

#include "metric.h"
#include "perf-events.h"

/**
 * struct mp_tally_fields - the fields of the metrics in an event's samples
 * @event: number of the event, from 1; 0: not known yet
 */
struct mp_tally_fields {
	uint32_t event;
	struct mp_field metrics[MP_NR_METRICS];
};

/**
 * struct mp_tally_set - the sums of one moment
 * @text: lines of JSON
 * @size, @max_text: used and allocated bytes of @text
 * @values: values of process, callsite and stack rows, in the order of the
 *	lines
 * @nr, @max: used and allocated rows of @values
 * @split: the values are in @values, not in @text
 */
struct mp_tally_set {
	char *text;
	size_t size, max_text;
	uint64_t (*values)[MP_NR_METRICS];
	size_t nr, max;
	bool split;
};

/**
 * struct mp_tallies - reads the sums of a recording; all zero at first
 * @last: the last complete set; its text is NULL if there is none
 * @next: the set that is being read
 * @until_ns: sets of later moments are left out, CLOCK_MONOTONIC; 0: take all; the caller sets it
 * @nr_late: samples of such sets
 * @described: a piece of the description of @next was read
 * @fields: for each of the two events, the fields that contain the metrics
 */
struct mp_tallies {
	struct mp_tally_set last, next;
	uint64_t until_ns, nr_late;
	bool described;
	struct mp_tally_fields fields[2];
};

/**
 * mp_tallies_sample - keep the values of a sample
 * @event: event of the sample: memprof:process or memprof:site
 *
 * Return: 0, or -ENOMEM. Samples above a limit are dropped; then their set is
 * refused.
 */
int mp_tallies_sample(struct mp_tallies *tallies,
		      const struct mp_perf_event *event,
		      const struct mp_perf_sample *sample);

/**
 * mp_tallies_piece - keep a piece of a description
 * @record: of type MP_PERF_RECORD_SKIPPED; other pieces are ignored
 *
 * Return: 0, or -ENOMEM.
 */
int mp_tallies_piece(struct mp_tallies *tallies,
		     const struct perf_event_header *record);

/** mp_tallies_free - free all sets and set @tallies to empty */
void mp_tallies_free(struct mp_tallies *tallies);

#endif
