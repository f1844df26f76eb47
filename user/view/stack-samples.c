// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack-samples: collects the rows of stacks, and the remainder of each process
 *
 * The cost is one pass over the rows, and one row per process. Sums are signed
 * 64-bit numbers, because unsigned metrics are below 2^63 on any machine. If memory
 * is short, -ENOMEM is returned.
 */
#include "stack-samples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State while rows are collected, with a map from processes to their remainders. */
struct gathering {
	const struct mp_profile *profile;
	struct mp_stack_samples *samples;
	struct mp_map by_owner;
	size_t nr_made;
	struct mp_row dropped;
};

/* Makes the key of a row's process. The key of a sum is its name and cgroup. */
static void owner_of(const struct mp_row *row, uint64_t *a, uint64_t *b)
{
	uint64_t words[sizeof(row->comm) / sizeof(uint64_t)];
	size_t i;

	*a = row->pid;
	*b = row->start_ns;
	if (row->pid)
		return;
	*b = row->cgroup;
	memcpy(words, row->comm, sizeof(words));
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		*b = mp_map_hash(*b, words[i]);
	*a = 1ULL << 32 | (row->flags & (MP_ROW_FOLDED | MP_ROW_OVERFLOW));
}

static int add_process(struct gathering *gathering, const struct mp_row *row)
{
	struct mp_row *made = &gathering->samples->made[gathering->nr_made];
	uint64_t a, b;
	uint32_t *known;

	owner_of(row, &a, &b);
	known = mp_map_add(&gathering->by_owner, a, b);
	if (!known)
		return -ENOMEM;
	*known = (uint32_t)gathering->nr_made++;
	*made = *row;
	made->kind = MP_ROW_STACK;
	return 0;
}

static int add_processes(struct gathering *gathering)
{
	const struct mp_profile *profile = gathering->profile;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_PROCESS)
			err = add_process(gathering, &profile->rows[i]);
	return err;
}

static void add_values(struct mp_row *to, const struct mp_row *row, int factor)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		if (mp_metrics[i].nature != MP_PEAK)
			to->value[i] += row->value[i] * (uint64_t)factor;
		else if (factor > 0 && row->value[i] > to->value[i])
			to->value[i] = row->value[i];
}

static void append_row(struct gathering *gathering, const struct mp_row *row)
{
	struct mp_stack_samples *samples = gathering->samples;
	const uint32_t *known;
	uint64_t a, b;

	samples->rows[samples->nr++] = row;
	owner_of(row, &a, &b);
	known = mp_map_find(&gathering->by_owner, a, b);
	if (known)
		add_values(&samples->made[*known], row, -1);
}

static void append_rows(struct gathering *gathering)
{
	const struct mp_profile *profile = gathering->profile;
	enum mp_row_kind finest = mp_profile_finest(profile);
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		const struct mp_row *row = &profile->rows[i];

		if (row->kind == finest && !(row->flags & MP_ROW_OVERFLOW))
			append_row(gathering, row);
		else if (mp_row_has_location(row) && row->flags & MP_ROW_OVERFLOW)
			add_values(&gathering->dropped, row, 1);
	}
}

/* Returns the remainder of a metric; 0 if this metric cannot have a remainder. */
static uint64_t rest_of(const struct mp_row *row, int metric)
{
	const struct mp_metric_info *info = &mp_metrics[metric];

	if (info->nature == MP_PEAK ||
	    (info->nature == MP_LEVEL && row->flags & MP_ROW_EXITED) ||
	    (!info->is_signed && (int64_t)row->value[metric] < 0))
		return 0;
	return row->value[metric];
}

static void settle_remainder(struct gathering *gathering, int metric)
{
	uint64_t *dropped = &gathering->dropped.value[metric], sum = 0;
	struct mp_row *made = gathering->samples->made;
	size_t i;

	for (i = 0; i < gathering->nr_made; i++) {
		made[i].value[metric] = rest_of(&made[i], metric);
		sum += made[i].value[metric];
	}
	/* remainders of processes already include dropped callsites */
	if (mp_metrics[metric].is_signed)
		*dropped = gathering->nr_made ? 0 : *dropped;
	else if (mp_metrics[metric].nature != MP_PEAK)
		*dropped -= sum < *dropped ? sum : *dropped;
}

static bool is_empty(const struct mp_row *row)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		if (row->value[i])
			return false;
	return true;
}

static void append_made(struct gathering *gathering)
{
	struct mp_stack_samples *samples = gathering->samples;
	struct mp_row *made = samples->made;
	size_t i;

	for (i = 0; i < MP_NR_METRICS; i++)
		settle_remainder(gathering, (int)i);
	made[gathering->nr_made] = gathering->dropped;
	for (i = 0; i <= gathering->nr_made; i++)
		if (!is_empty(&made[i]))
			samples->rows[samples->nr++] = &made[i];
}

int mp_stack_samples_gather(struct mp_stack_samples *samples,
			    const struct mp_profile *profile, bool rests)
{
	struct gathering gathering = {
		.profile = profile, .samples = samples,
		.dropped = {
			.kind = MP_ROW_SITE, .flags = MP_ROW_OVERFLOW,
		},
	};
	size_t room = profile->nr_rows + 1;
	int err = 0;

	*samples = (struct mp_stack_samples){
		.rows = reallocarray(NULL, 2 * room, sizeof(*samples->rows)),
		.made = reallocarray(NULL, room, sizeof(*samples->made)),
	};
	if (!samples->rows || !samples->made)
		err = -ENOMEM;
	if (!err && rests)
		err = add_processes(&gathering);
	if (!err) {
		append_rows(&gathering);
		append_made(&gathering);
	}
	mp_map_free(&gathering.by_owner);
	if (err)
		mp_stack_samples_free(samples);
	return err;
}

/* Adds a row to that of its name, cgroup and stack. */
static int unite_row(struct mp_row *united, size_t *nr, struct mp_map *by_name,
		     const struct mp_row *row)
{
	struct mp_row nobody = *row;
	const char *name = mp_stack_sample_name(row);
	uint64_t a, b, stack = row->location.stack;
	uint32_t *known;

	nobody.pid = 0;
	nobody.start_ns = 0;
	owner_of(&nobody, &a, &b);
	if (name)
		stack = 1ULL << 32 | !strcmp(name, MP_SAMPLE_DROPPED);
	known = mp_map_add(by_name, mp_map_hash(a, stack), b);
	if (!known)
		return -ENOMEM;
	if (*known == MP_MAP_NEW) {
		*known = (uint32_t)*nr;
		united[(*nr)++] = nobody;
	} else {
		add_values(&united[*known], row, 1);
	}
	return 0;
}

int mp_stack_samples_unite(struct mp_stack_samples *samples)
{
	struct mp_row *united = reallocarray(NULL, samples->nr + 1, sizeof(*united));
	struct mp_map by_name = { 0 };
	size_t i, nr = 0;
	int err = united ? 0 : -ENOMEM;

	for (i = 0; !err && i < samples->nr; i++)
		err = unite_row(united, &nr, &by_name, samples->rows[i]);
	mp_map_free(&by_name);
	if (err) {
		free(united);
		return err;
	}
	free(samples->made);
	samples->made = united;
	samples->nr = nr;
	for (i = 0; i < nr; i++)
		samples->rows[i] = &united[i];
	return 0;
}

const char *mp_stack_sample_name(const struct mp_row *row)
{
	if (row->flags & MP_ROW_OVERFLOW && mp_row_has_location(row) &&
	    row->kind == MP_ROW_SITE)
		return MP_SAMPLE_DROPPED;
	return row->location.stack ? NULL : MP_SAMPLE_REST;
}

bool mp_stack_sample_owner(const struct mp_profile *profile, const struct mp_row *row,
			   unsigned int bit, char *text)
{
	char id[MP_CGROUP_ID_SIZE];
	const char *name = bit == MP_OWNER_CGROUP ?
			   mp_profile_cgroup(profile, row->cgroup, id) :
			   row->comm;

	if (bit == MP_OWNER_PID && row->pid)
		snprintf(text, MP_OWNER_SIZE, "%s %u", name, row->pid);
	else
		snprintf(text, MP_OWNER_SIZE, "%s", name);
	return name[0];
}

int64_t mp_stack_samples_total(const struct mp_stack_samples *samples, enum mp_metric metric)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; mp_metrics[metric].nature != MP_PEAK && i < samples->nr; i++)
		sum += samples->rows[i]->value[metric];
	return (int64_t)sum;
}

bool mp_stack_samples_have(const struct mp_stack_samples *samples, enum mp_metric metric)
{
	size_t i;

	for (i = 0; i < samples->nr; i++)
		if (samples->rows[i]->value[metric])
			return true;
	return false;
}

void mp_stack_samples_free(struct mp_stack_samples *samples)
{
	free(samples->rows);
	free(samples->made);
	*samples = (struct mp_stack_samples){ 0 };
}
