/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * series: a value over time, in a bounded number of steps
 *
 * A step holds the highest or the last value in its time. If there are too many
 * steps, their length doubles.
 */
#ifndef MP_SERIES_H
#define MP_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define MP_SERIES_POINTS	512

/* Length of the steps at the begin. */
#define MP_SERIES_STEP_NS	1000000ULL

/**
 * enum mp_series_kind - values of all targets together
 * @MP_SERIES_LIVE: bytes in live blocks; highest
 * @MP_SERIES_GROWTH: bytes by which address spaces grew; last
 * @MP_SERIES_RESIDENT: resident bytes; last
 */
enum mp_series_kind {
	MP_SERIES_LIVE,
	MP_SERIES_GROWTH,
	MP_SERIES_RESIDENT,
	MP_NR_SERIES,
};

/**
 * struct mp_series - one value over time; all zero means empty
 * @highest: a step holds the highest value; else the last one
 * @nr: number of steps; an unchanged value is repeated
 * @start_ns: begin of the first step
 * @step_ns: length of each step
 */
struct mp_series {
	bool highest;
	uint32_t nr;
	uint64_t start_ns;
	uint64_t step_ns;
	uint64_t end_ns;		/* end of the last step */
	int64_t last;
	int64_t value[MP_SERIES_POINTS];
};

/** mp_series_advance - add steps up to a time, with the latest value */
void mp_series_advance(struct mp_series *series, uint64_t time_ns,
		       int64_t value);

/**
 * mp_series_put - set the value at a time
 * @time_ns: a time before the last step is counted in the last step
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
