// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile: stores, merges, sorts and adds up rows
 *
 * A row costs about 440 bytes, in one array. Merge and sort take n log n
 * comparisons. If memory is short, an addition returns -ENOMEM and does not change
 * the profile.
 */
#include "profile.h"
#include "residence.h"
#include "sites.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *mp_source_name(enum mp_source source)
{
	static const char * const names[MP_NR_SOURCES] = {
		[MP_SOURCE_AUTO] = "auto", [MP_SOURCE_KMOD] = "kmod",
		[MP_SOURCE_PERF] = "perf", [MP_SOURCE_SMAPS] = "smaps",
		[MP_SOURCE_PRELOAD] = "preload",
	};

	return names[source];
}

void mp_profile_free(struct mp_profile *profile)
{
	mp_id_names_free(&profile->names);
	mp_containers_free(&profile->containers);
	mp_names_free(&profile->hosts);
	mp_id_names_free(&profile->titles);
	free(profile->rows);
	free(profile->counters);
	free(profile->warnings);
	mp_timeline_free(&profile->timeline);
	mp_sites_free(profile);
	*profile = (struct mp_profile){ 0 };
}

int mp_profile_reserve(struct mp_profile *profile, size_t nr)
{
	size_t max = profile->nr_rows + nr;
	struct mp_row *rows;

	if (max <= profile->max_rows)
		return 0;
	rows = reallocarray(profile->rows, max, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	profile->rows = rows;
	profile->max_rows = max;
	return 0;
}

int mp_profile_add(struct mp_profile *profile, const struct mp_row *row)
{
	struct mp_row *copy;

	if (profile->nr_rows == profile->max_rows &&
	    mp_profile_reserve(profile, profile->nr_rows + 64))
		return -ENOMEM;
	copy = &profile->rows[profile->nr_rows++];
	*copy = *row;
	mp_text_escape(copy->comm, sizeof(copy->comm), row->comm,
		       sizeof(row->comm));
	return 0;
}

int mp_profile_add_counter(struct mp_profile *profile, const char *name,
			   uint64_t value)
{
	struct mp_counter *counters, counter = { .value = value };
	size_t i;

	mp_text_escape(counter.name, sizeof(counter.name), name,
		       MEMPROF_NAME_LEN);
	for (i = 0; i < profile->nr_counters; i++) {
		if (!strcmp(profile->counters[i].name, counter.name)) {
			profile->counters[i].value += value;
			return 0;
		}
	}
	counters = reallocarray(profile->counters, i + 1, sizeof(*counters));
	if (!counters)
		return -ENOMEM;
	profile->counters = counters;
	profile->counters[profile->nr_counters++] = counter;
	return 0;
}

int mp_profile_warn(struct mp_profile *profile, const char *text)
{
	char line[MP_WARNING_SIZE];
	size_t i;

	mp_text_escape(line, sizeof(line), text, sizeof(line));
	for (i = 0; i < profile->nr_warnings; i++)
		if (!strcmp(profile->warnings[i], line))
			return 0;
	if (profile->nr_warnings == MP_MAX_WARNINGS)
		return 0;
	if (!profile->warnings)
		profile->warnings = calloc(MP_MAX_WARNINGS, sizeof(line));
	if (!profile->warnings)
		return -ENOMEM;
	memcpy(profile->warnings[profile->nr_warnings++], line, sizeof(line));
	return 0;
}

const char *mp_profile_cgroup(const struct mp_profile *profile, uint64_t id,
			      char *buf)
{
	const char *path = mp_id_names_find(&profile->names, id);

	if (path)
		return path;
	buf[0] = '\0';
	if (id)
		snprintf(buf, MP_CGROUP_ID_SIZE, "id:%" PRIu64, id);
	return buf;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Compares two rows; 0 if both are of the same process, cgroup or callsite. */
static int compare_identity(const struct mp_profile *profile,
			    const struct mp_row *a, const struct mp_row *b)
{
	const unsigned int sums = MP_ROW_FOLDED | MP_ROW_OVERFLOW;
	int order = compare(a->kind, b->kind);

	if (!order)
		order = compare(a->flags & sums, b->flags & sums);
	if (!order)
		order = compare(a->pid, b->pid);
	if (!order && a->kind == MP_ROW_PROCESS)
		order = compare(a->host, b->host) ?: compare(a->start_ns, b->start_ns);
	if (!order && a->kind == MP_ROW_PROCESS && a->flags & MP_ROW_FOLDED)
		order = strcmp(a->comm, b->comm) ?:
			compare(a->cgroup, b->cgroup);
	if (!order && a->kind == MP_ROW_CGROUP)
		order = compare(a->cgroup, b->cgroup);
	if (!order && mp_row_has_location(a))
		order = mp_sites_compare(profile, a, b);
	return order;
}

static int compare_newest(const void *x, const void *y, void *profile)
{
	const struct mp_row *a = x, *b = y;
	int order = compare_identity(profile, a, b);

	if (!order)
		order = compare(a->flags & MP_ROW_EXITED,
				b->flags & MP_ROW_EXITED);
	if (!order)
		order = compare(b->exit_ns, a->exit_ns);
	return order;
}

/*
 * A block of n bytes is sampled with the probability 1 - exp(-n / R), and then stands for the
 * inverse of that, so R is known from the mean of n, and from how many blocks a sample stands for.
 * A large block is sampled for sure: it says nothing of R.
 */
uint64_t mp_alloc_distance(const struct mp_alloc_meta *alloc, const uint64_t *value)
{
	const double samples = (double)value[MP_ALLOC_SAMPLES];
	const double blocks = (double)value[MP_ALLOC_OBJECTS];
	const double most = fmax((double)alloc->rate * MP_PACE_FACTOR, MP_PACE_BYTES);
	double distance;

	if (!alloc->pace || samples <= 0 || blocks <= samples)
		return alloc->rate;
	distance = (double)value[MP_ALLOC_SPACE] / blocks / -log(1 - samples / blocks);
	return distance <= (double)alloc->rate ? alloc->rate :
	       (uint64_t)(distance < most ? distance : most);
}

/* A process has the samples of so many seconds at once, see libmemprof's pace. */
#define FREE_SECONDS	3

/* The pace changes the distance of later samples, too: their squares are twice as much. */
#define LATER_SQUARES	2

double mp_alloc_spread(const struct mp_alloc_meta *alloc, const uint64_t *value,
		       size_t processes)
{
	const double distance = (double)mp_alloc_distance(alloc, value);
	const double samples = (double)value[MP_ALLOC_SAMPLES];
	const double first = fmin(samples, (double)alloc->pace * FREE_SECONDS * (double)processes);
	const double bytes = (double)value[MP_ALLOC_SPACE];
	const double early = fmin(first * (double)alloc->rate, bytes), late = bytes - early;
	double squares;

	if (!alloc->pace || samples <= first || distance <= (double)alloc->rate)
		return 1;
	squares = early * (double)alloc->rate + LATER_SQUARES * late * late / (samples - first);
	/* a file may contain any number */
	return fmin(fmax(1, squares / bytes / distance), MP_PACE_FACTOR);
}

uint64_t mp_profile_distance(const struct mp_profile *profile, enum mp_metric metric,
			     const uint64_t *value, uint64_t *sampled)
{
	const struct mp_alloc_meta *alloc = &profile->meta.alloc;
	double sum = 0, small = 0, weighted = 0, bytes;
	const struct mp_row *row;

	for (row = profile->rows; alloc->pace && row < profile->rows + profile->nr_rows; row++) {
		bytes = row->kind == MP_ROW_SITE ? (double)row->value[metric] : 0;
		sum += bytes;
		/* blocks that are larger than the distance count for themselves */
		if (row->value[MP_ALLOC_OBJECTS] <= row->value[MP_ALLOC_SAMPLES])
			continue;
		small += bytes;
		weighted += bytes * (double)mp_alloc_distance(alloc, row->value);
	}
	*sampled = value[metric];
	if (sum <= 0 || sum < (double)value[metric] / 2)
		return mp_alloc_distance(alloc, value);
	*sampled = (uint64_t)((double)value[metric] * (small / sum));
	return small > 0 ? (uint64_t)(weighted / small) : mp_alloc_distance(alloc, value);
}

void mp_row_raise_peak(struct mp_row *row)
{
	static const enum mp_metric moments[] = {
		MP_INUSE_SPACE, MP_AT_PEAK, MP_AT_EXIT,
	};
	size_t i;

	for (i = 0; i < sizeof(moments) / sizeof(moments[0]); i++)
		if (row->value[MP_PEAK_SPACE] < row->value[moments[i]])
			row->value[MP_PEAK_SPACE] = row->value[moments[i]];
}

static void fold_row(struct mp_profile *profile, struct mp_row *into,
		     const struct mp_row *older)
{
	int i;

	if (mp_row_has_location(into))
		mp_sites_fold(profile, into, older);
	if (older->kept > into->kept) {
		into->keeper = older->keeper;
		into->kept = older->kept;
	}
	for (i = 0; i < MP_NR_METRICS; i++) {
		if (mp_metrics[i].nature == MP_FLOW)
			into->value[i] += older->value[i];
		else if (mp_metrics[i].nature == MP_PEAK &&
			 older->value[i] > into->value[i])
			into->value[i] = older->value[i];
	}
	if (mp_row_has_location(into))
		mp_row_raise_peak(into);
}

void mp_profile_merge(struct mp_profile *profile)
{
	struct mp_row *rows = profile->rows;
	size_t i, last = 0;

	if (profile->nr_rows < 2)
		return;
	qsort_r(rows, profile->nr_rows, sizeof(*rows), compare_newest,
		profile);
	for (i = 1; i < profile->nr_rows; i++) {
		if (!compare_identity(profile, &rows[last], &rows[i]))
			fold_row(profile, &rows[last], &rows[i]);
		else if (++last != i)
			rows[last] = rows[i];
	}
	profile->nr_rows = last + 1;
}

struct sorting {
	const struct mp_profile *profile;
	enum mp_metric metric;
};

static int compare_metric(const void *x, const void *y, void *arg)
{
	const struct sorting *sorting = arg;
	enum mp_metric metric = sorting->metric;
	const struct mp_row *a = x, *b = y;
	int order = 0;

	if (mp_metrics[metric].nature == MP_LEVEL)
		order = compare(a->flags & MP_ROW_EXITED,
				b->flags & MP_ROW_EXITED);
	if (!order)
		order = mp_metric_compare(metric, b->value[metric],
					  a->value[metric]);
	/* live blocks are 0 after an exit, so compare flows and peaks, too */
	order = order ?: compare(b->value[MP_PEAK_SPACE],
				 a->value[MP_PEAK_SPACE]) ?:
		compare(b->value[MP_ALLOC_SPACE], a->value[MP_ALLOC_SPACE]) ?:
		compare(b->value[MP_TOUCHED], a->value[MP_TOUCHED]) ?:
		mp_metric_compare(MP_GROWTH, b->value[MP_GROWTH], a->value[MP_GROWTH]);
	return order ? order : compare_identity(sorting->profile, a, b);
}

void mp_profile_drop(struct mp_profile *profile, size_t from,
		     bool (*is_told)(const struct mp_row *row))
{
	size_t i, kept = from;

	for (i = from; i < profile->nr_rows; i++)
		if (!is_told(&profile->rows[i]))
			profile->rows[kept++] = profile->rows[i];
	profile->nr_rows = kept;
}

bool mp_profile_has(const struct mp_profile *profile, enum mp_metric metric)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].value[metric])
			return true;
	return false;
}

bool mp_profile_runs(const struct mp_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_PROCESS &&
		    !(profile->rows[i].flags & MP_ROW_EXITED))
			return true;
	return false;
}

bool mp_profile_has_pages(const struct mp_profile *profile)
{
	return mp_profile_has(profile, MP_BLOCK_RESIDENT) ||
	       mp_profile_has(profile, MP_BLOCK_SWAPPED) ||
	       mp_profile_has(profile, MP_BLOCK_UNTOUCHED) ||
	       mp_profile_has(profile, MP_HELD_PAGES);
}

uint64_t mp_profile_counter(const struct mp_profile *profile, const char *name)
{
	size_t i;

	for (i = 0; i < profile->nr_counters; i++)
		if (!strcmp(profile->counters[i].name, name))
			return profile->counters[i].value;
	return 0;
}

double mp_profile_lost(const struct mp_profile *profile)
{
	double lost = (double)mp_profile_counter(profile, "event_lost");
	double kept = (double)mp_profile_counter(profile, "event_kept");

	return lost > 0 ? lost / (lost + kept) : 0;
}

bool mp_row_is_idle(const struct mp_row *row)
{
	int i;

	if (row->kind != MP_ROW_PROCESS || row->exit_ns || mp_row_is_sum(row))
		return false;
	for (i = 0; i < MP_NR_METRICS; i++)
		if (row->value[i])
			return false;
	return true;
}

void mp_profile_sort(struct mp_profile *profile, enum mp_metric metric)
{
	struct sorting sorting = { profile, metric };

	if (profile->nr_rows)
		qsort_r(profile->rows, profile->nr_rows, sizeof(struct mp_row),
			compare_metric, &sorting);
}

const char *mp_profile_host(const struct mp_profile *profile, const struct mp_row *row)
{
	if (row->host && row->host <= profile->hosts.nr)
		return profile->hosts.list[row->host - 1];
	return profile->hosts.nr ? "" : profile->meta.origin.host;
}

/* Whether the kernel counts a metric. Its value includes descendant cgroups. */
static bool is_of_kernel(enum mp_metric metric)
{
	return metric >= MP_CGROUP_CURRENT && metric <= MP_CGROUP_REST;
}

static void total_row(struct mp_total *total, const struct mp_row *row)
{
	bool exited = row->flags & MP_ROW_EXITED;
	enum mp_nature nature;
	int i;

	total->nr_rows++;
	total->nr_named += !mp_row_is_sum(row);
	total->nr_exited += exited && !mp_row_is_sum(row);
	if (!(row->flags & MP_ROW_ROLLED))
		total->nr_processes += row->nr_processes;
	for (i = 0; i < MP_NR_METRICS; i++) {
		nature = mp_metrics[i].nature;
		/* skip the value: an ancestor's row already includes it */
		if (row->flags & (is_of_kernel(i) ? MP_ROW_NESTED :
				  MP_ROW_ROLLED))
			continue;
		if (nature == MP_FLOW || (nature == MP_LEVEL && !exited))
			total->value[i] += row->value[i];
	}
}

const struct mp_row *mp_profile_only_process(const struct mp_profile *profile)
{
	const struct mp_row *row, *only = NULL;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != MP_ROW_PROCESS)
			continue;
		if (only || mp_row_is_sum(row))
			return NULL;
		only = row;
	}
	return only;
}

void mp_profile_total(const struct mp_profile *profile, enum mp_row_kind kind,
		      struct mp_total *total)
{
	size_t i;

	*total = (struct mp_total){ 0 };
	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == kind)
			total_row(total, &profile->rows[i]);
}

enum mp_row_kind mp_profile_finest(const struct mp_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_STACK)
			return MP_ROW_STACK;
	return MP_ROW_SITE;
}

bool mp_row_has_any(const struct mp_row *row, const enum mp_metric *metrics, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (row->value[metrics[i]])
			return true;
	return false;
}

/*
 * Estimates the bytes of inherited blocks that the process has not freed. Only the
 * number of freed blocks is known, so they are assumed to have the mean size.
 */
static uint64_t estimate_inherited(const struct mp_row *row)
{
	const uint64_t *value = row->value;
	uint64_t blocks = value[MP_INHERITED_OBJECTS], freed = value[MP_INHERITED_FREES];

	/* sums of exited processes hold no memory; for cgroups: rollup.c */
	if (row->kind != MP_ROW_PROCESS || mp_row_is_sum(row) || freed >= blocks)
		return 0;
	return (uint64_t)((__uint128_t)value[MP_INHERITED_SPACE] * (blocks - freed) /
			  blocks);
}

void mp_row_derive(struct mp_row *row, uint32_t page_size)
{
	uint64_t *value = row->value;

	value[MP_RELEASED] = value[MP_BRK_DOWN] + value[MP_MMAP_DOWN] + value[MP_ADVISED];
	if (mp_row_has_location(row)) {
		value[MP_FAULTS] = value[MP_INSIDE_FAULTS] +
				   value[MP_BLOCK_FAULTS] +
				   value[MP_OTHER_FAULTS];
		value[MP_TOUCHED] = value[MP_FAULTS] * page_size;
		return;
	}
	value[MP_INHERITED_LIVE] = estimate_inherited(row);
	value[MP_FAULTS] = value[MP_MINOR_FAULTS] + value[MP_MAJOR_FAULTS];
	value[MP_TOUCHED] = value[MP_FAULTS] * page_size;
	value[MP_GROWTH] = value[MP_BRK_UP] - value[MP_BRK_DOWN] +
			   value[MP_MMAP_UP] - value[MP_MMAP_DOWN];
	value[MP_RESIDENT] = value[MP_RESIDENT_ANON] +
			     value[MP_RESIDENT_FILE] +
			     value[MP_RESIDENT_SHMEM];
	mp_residence_rest(row);
}
