// SPDX-License-Identifier: GPL-2.0-only
/*
 * triggers: reads the memory of all watched cgroups, some times a minute
 *
 * The kernel has events of a limit that was reached, and none of one that is near. A look
 * costs two reads of a small file for each cgroup, two more for each that has a limit or
 * whose growth is wanted: 10 us each. Memory is what is charged to the cgroup without its
 * file cache, because that grows up to any limit, and is dropped when there is need. What
 * cannot be read counts as nothing.
 *
 * Growth is the slope of Theil and Sen over 40 points (base/trend); a cgroup has 784 bytes
 * for them.
 */
#include "triggers.h"
#include "cgroup-memory.h"
#include "trend.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PERIOD_MS	10000
#define MS		1000000ULL

/* Points of a window; and room for those that are a little older. */
#define POINTS		40
#define MAX_POINTS	48

/* Below that part of a window, growth is that of a start. */
#define LEAST_SPAN	0.9

/* Percents of the limit by which memory falls until the next report. */
#define FALL		10

/**
 * struct mp_cgroup_track - memory of a cgroup in the past
 * @times: hours, CLOCK_MONOTONIC
 * @values: bytes
 */
struct mp_cgroup_track {
	double times[MAX_POINTS], values[MAX_POINTS];
	size_t nr;
};

/* A look. @nr cgroups have the event, and @best is how bad the worst of them is. */
struct look {
	const struct mp_trigger_settings *settings;
	uint64_t now_ns;
	bool wants_limit, wants_growth;
	struct mp_memory_trouble *trouble;
	double best;
	uint64_t nr;
	int err;
};

uint64_t mp_triggers_period_ns(const struct mp_trigger_settings *settings,
			       uint64_t interval_ms)
{
	uint64_t ms = interval_ms < MOST_PERIOD_MS ? interval_ms : MOST_PERIOD_MS;

	if (!settings->limit_percent && !settings->growth_bytes)
		return 0;
	if (settings->growth_bytes && settings->growth_window_ms / (MP_TREND_MIN + 2) < ms)
		ms = settings->growth_window_ms / (MP_TREND_MIN + 2);
	return ms * MS;
}

/* Counts a cgroup that has an event. Returns whether it is the worst one until now. */
static bool is_worst(struct look *look, enum mp_memory_event event, double ratio,
		     const struct mp_watched_cgroup *cgroup)
{
	struct mp_memory_trouble *trouble = look->trouble;

	look->nr++;
	if (ratio <= look->best)
		return false;
	look->best = ratio;
	*trouble = (struct mp_memory_trouble){ .event = event };
	snprintf(trouble->cgroup, sizeof(trouble->cgroup), "%s", cgroup->path);
	return true;
}

static void look_at_limit(struct look *look, struct mp_watched_cgroup *cgroup,
			  const char *path)
{
	const uint64_t high = mp_cgroup_memory_number(path, "memory.high");
	const uint64_t max = mp_cgroup_memory_number(path, "memory.max");
	const uint64_t limit = high && (!max || high < max) ? high : max;
	const uint64_t percent = look->settings->limit_percent;
	const uint64_t fall = percent / 2 < FALL ? percent / 2 : FALL;
	const double bound = (double)limit * (double)percent / 100;
	double used;

	if (!limit || !percent) {
		cgroup->is_near = false;
		return;
	}
	used = (double)mp_cgroup_memory_number(path, "memory.current");
	/* the cache is in a larger file: mostly it need not be read */
	if (used >= bound || cgroup->is_near)
		used -= fmin(used, (double)mp_cgroup_memory_cache(path));
	if (used < (double)limit * (double)(percent - fall) / 100)
		cgroup->is_near = false;
	if (used < bound || cgroup->is_near || !look->wants_limit)
		return;
	cgroup->is_near = true;
	if (is_worst(look, MP_MEMORY_LIMIT, used / (double)limit, cgroup))
		look->trouble->cause = (struct mp_memory_cause){
			.value = (uint64_t)used, .bound = (uint64_t)bound, .limit = limit,
			.is_high = limit == high,
		};
}

/* Hours between the first point and the last one. */
static double span_of(const struct mp_cgroup_track *track)
{
	return track->times[track->nr - 1] - track->times[0];
}

/* Adds a point, unless the last one is as good; forgets those before the window. */
static bool add_point(struct mp_cgroup_track *track, double hour, double window, double value)
{
	size_t old = 0;

	if (track->nr && hour - track->times[track->nr - 1] < window / POINTS)
		return false;
	/* the last of those before the window is its begin; if looks are late, some more stay */
	while (old + MP_TREND_MIN <= track->nr && hour - track->times[old + 1] >= window)
		old++;
	if (old < 1 && track->nr == MAX_POINTS)
		old = 1;
	track->nr -= old;
	memmove(track->times, track->times + old, track->nr * sizeof(*track->times));
	memmove(track->values, track->values + old, track->nr * sizeof(*track->values));
	track->times[track->nr] = hour;
	track->values[track->nr++] = value;
	return true;
}

/*
 * Whether the slope can be as high as a bound, which is cheap to say: more than half of all
 * pairs are of points that are a quarter of the span apart.
 */
static bool can_have_slope(const struct mp_cgroup_track *track, double bound)
{
	double least = track->values[0], most = least;
	size_t i;

	for (i = 1; i < track->nr; i++) {
		least = fmin(least, track->values[i]);
		most = fmax(most, track->values[i]);
	}
	return most - least >= bound * span_of(track) / 4;
}

/* Returns the bytes per hour of a cgroup that keeps growing; 0: it does not, or not yet. */
static double growth_of(const struct mp_cgroup_track *track, double window, double bound,
			int *err)
{
	struct mp_trend trend;

	if (track->nr < MP_TREND_MIN || span_of(track) < LEAST_SPAN * window ||
	    !can_have_slope(track, bound))
		return 0;
	*err = mp_trend_fit(track->times, track->values, track->nr, &trend) ?: *err;
	return trend.throughout ? trend.slope : 0;
}

static void look_at_growth(struct look *look, struct mp_watched_cgroup *cgroup,
			   const char *path)
{
	const double bound = (double)look->settings->growth_bytes;
	const double window = (double)look->settings->growth_window_ms / 3600e3;
	const double hour = (double)look->now_ns / 3600e9;
	double used, slope;

	if (!cgroup->track)
		cgroup->track = calloc(1, sizeof(*cgroup->track));
	if (!cgroup->track) {
		look->err = -ENOMEM;
		return;
	}
	used = (double)mp_cgroup_memory_number(path, "memory.current");
	used -= fmin(used, (double)mp_cgroup_memory_cache(path));
	if (!add_point(cgroup->track, hour, window, used))
		return;
	slope = growth_of(cgroup->track, window, bound / 2, &look->err);
	if (slope < bound / 2)
		cgroup->is_growing = false;
	if (slope < bound || cgroup->is_growing || !look->wants_growth)
		return;
	cgroup->is_growing = true;
	if (is_worst(look, MP_MEMORY_GROWTH, slope, cgroup))
		look->trouble->cause = (struct mp_memory_cause){
			.value = (uint64_t)slope, .bound = look->settings->growth_bytes,
			.window_s = (uint64_t)(3600 * span_of(cgroup->track) + 0.5),
		};
}

static void look_at_each(struct look *look, struct mp_memory_watch *watch,
			 void (*look_at)(struct look *look, struct mp_watched_cgroup *cgroup,
					 const char *path))
{
	char path[2 * PATH_MAX];
	size_t i;

	for (i = 0; i < watch->nr; i++) {
		snprintf(path, sizeof(path), "%s%s", watch->mount, watch->list[i].path);
		look_at(look, &watch->list[i], path);
	}
}

int mp_triggers_look(const struct mp_trigger_settings *settings, struct mp_memory_watch *watch,
		     uint64_t now_ns, const bool wanted[MP_NR_MEMORY_EVENTS],
		     struct mp_memory_trouble *trouble)
{
	struct look look = {
		.settings = settings, .now_ns = now_ns, .trouble = trouble,
		.wants_limit = wanted[MP_MEMORY_LIMIT],
	};

	*trouble = (struct mp_memory_trouble){ .event = MP_NR_MEMORY_EVENTS };
	look_at_each(&look, watch, look_at_limit);
	/* one capture is made of a look: growth waits for a later one, but is measured */
	look.wants_growth = !look.nr && wanted[MP_MEMORY_GROWTH];
	if (settings->growth_bytes)
		look_at_each(&look, watch, look_at_growth);
	if (trouble->event != MP_NR_MEMORY_EVENTS)
		trouble->counts[trouble->event] = look.nr;
	return look.err;
}
