/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tallies: the sums that a recording holds besides its events
 *
 * The values of each row are a sample of memprof:process or memprof:site, which perf shows
 * too. A piece that follows the samples describes the rows, in the same order, as lines
 * of JSON without these values. Recordings before that have the values in the lines.
 */
#ifndef MP_TALLIES_H
#define MP_TALLIES_H

#include "metric.h"
#include "perf-events.h"

/**
 * struct mp_tally_fields - where the metrics are in the samples of an event
 * @event: its number, from 1; 0: not known yet
 */
struct mp_tally_fields {
	uint32_t event;
	struct mp_field metrics[MP_NR_METRICS];
};

/**
 * struct mp_tally_set - the sums of one moment
 * @text: lines of JSON
 * @size, @max_text: bytes of @text, and room for
 * @values: of the rows of processes, callsites and stacks, in the order of the lines
 * @nr, @max: rows in @values, and room for
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
 * @described: a piece of the description of @next came
 * @fields: of the two events
 */
struct mp_tallies {
	struct mp_tally_set last, next;
	bool described;
	struct mp_tally_fields fields[2];
};

/**
 * mp_tallies_sample - keep the values of a sample
 * @event: of the sample: memprof:process or memprof:site
 *
 * Return: 0, or -ENOMEM. Samples above a bound are dropped; their set is then refused.
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

/** mp_tallies_free - free all that it holds; it is empty then */
void mp_tallies_free(struct mp_tallies *tallies);

#endif
