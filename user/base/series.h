/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * series: a value over time, in a bounded number of steps
 *
 * A step holds the highest or the last value of its time span. When all steps are
 * used, the length of a step doubles and pairs of steps are merged.
 */
#ifndef MP_SERIES_H
#define MP_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define MP_SERIES_POINTS	512

/* Initial length of a step: 1 ms. */
#define MP_SERIES_STEP_NS	1000000ULL

/**
 * enum mp_series_kind - the series of a profile, each the sum of all targets
 * @MP_SERIES_LIVE: bytes in live blocks; a step holds the highest value
 * @MP_SERIES_GROWTH: bytes by which address spaces grew; a step holds the last value
 * @MP_SERIES_RESIDENT: resident bytes; a step holds the last value
 */
enum mp_series_kind {
	MP_SERIES_LIVE,
	MP_SERIES_GROWTH,
	MP_SERIES_RESIDENT,
	MP_NR_SERIES,
};

/**
 * struct mp_series - one value over time; all zero means empty
 * @highest: true: a step holds its highest value; false: its last value
 * @nr: number of steps; a step without an event repeats the last value
 * @start_ns: begin of the first step, in nanoseconds
 * @step_ns: length of each step, in nanoseconds
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

/**
 * mp_series_advance - add steps up to a time
 * @value: used only if the series is empty; new steps repeat the last value
 */
void mp_series_advance(struct mp_series *series, uint64_t time_ns,
		       int64_t value);

/**
 * mp_series_put - set the value at a time
 * @time_ns: time of the value; a time before the last step counts as in the last step
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

/** mp_series_at - the value at a time; 0 before the series begins */
static inline int64_t mp_series_at(const struct mp_series *series, uint64_t time_ns)
{
	uint64_t step;

	if (!series->nr || time_ns < series->start_ns)
		return 0;
	step = (time_ns - series->start_ns) / series->step_ns;
	return step < series->nr ? series->value[step] : series->last;
}

#endif
