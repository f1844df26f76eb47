// SPDX-License-Identifier: GPL-2.0-only
/*
 * series: adds steps when time advances
 *
 * Times are untrusted, so each loop has a bound: it runs once per step, or 64 times
 * where it doubles a step. The functions allocate no memory and cannot fail.
 */
#include "series.h"

/* Merges pairs of steps, so that each step is twice as long. */
static void halve(struct mp_series *series)
{
	int64_t a, b;
	uint32_t i;

	for (i = 0; 2 * i < series->nr; i++) {
		a = series->value[2 * i];
		b = 2 * i + 1 < series->nr ? series->value[2 * i + 1] : a;
		series->value[i] = series->highest && a > b ? a : b;
	}
	series->nr = i;
	series->step_ns *= 2;
}

static uint64_t step_of(const struct mp_series *series, uint64_t time_ns)
{
	return (time_ns - series->start_ns) / series->step_ns;
}

void mp_series_advance(struct mp_series *series, uint64_t time_ns,
		       int64_t value)
{
	uint64_t at;

	if (!series->nr) {
		series->start_ns = time_ns;
		series->step_ns = MP_SERIES_STEP_NS;
		series->last = value;
	}
	while (step_of(series, time_ns) >= MP_SERIES_POINTS)
		halve(series);
	at = step_of(series, time_ns);
	while (series->nr <= at)
		series->value[series->nr++] = series->last;
	series->end_ns = series->start_ns + series->nr * series->step_ns;
}
