/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * series: a value over time, in a bounded number of steps
 *
 * A step holds the highest value that it saw, or the last one. Steps get twice as
 * long when there are too many.
 */
#ifndef MP_SERIES_H
#define MP_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define MP_SERIES_POINTS	512

/* The first steps. */
#define MP_SERIES_STEP_NS	1000000ULL

/**
 * enum mp_series_kind - what is followed, of all targets together
 * @MP_SERIES_LIVE: bytes in living blocks; highest
 * @MP_SERIES_GROWTH: bytes by which address spaces grew; last
 * @MP_SERIES_RESIDENT: bytes that are resident; last
 */
enum mp_series_kind {
	MP_SERIES_LIVE,
	MP_SERIES_GROWTH,
	MP_SERIES_RESIDENT,
	MP_NR_SERIES,
};

/**
 * struct mp_series - of one value; all zero is empty
 * @highest: a step holds the highest value; else the last
 * @nr: steps; a value that did not change stands in all of them
 * @start_ns: of the first step
 * @step_ns: how long each is
 */
struct mp_series {
	bool highest;
	uint32_t nr;
	uint64_t start_ns;
	uint64_t step_ns;
	uint64_t end_ns;		/* of the last step */
	int64_t last;
	int64_t value[MP_SERIES_POINTS];
};

/** mp_series_advance - make steps up to a moment, with the value so far */
void mp_series_advance(struct mp_series *series, uint64_t time_ns,
		       int64_t value);

/**
 * mp_series_put - the value at a moment
 * @time_ns: one that is before the last step counts for that
 */
static inline void mp_series_put(struct mp_series *series, uint64_t time_ns,
				 int64_t value)
{
	int64_t *step;

	if (time_ns >= series->end_ns || !series->nr)
		mp_series_advance(series, time_ns, value);
	step = &series->value[series->nr - 1];
	if (!series->highest || value > *step)
		*step = value;
	series->last = value;
}

#endif
