// SPDX-License-Identifier: GPL-2.0-only
/*
 * exited: shows exited processes beside those that run
 *
 * The cost is sorting the rows.
 */
#include "exited.h"
#include "map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* So many of one name stay rows of their own. */
#define MOST_ALONE	3

/* One exited process, or several that the source has added up already. */
static bool has_exited(const struct mp_row *row)
{
	return row->kind == MP_ROW_PROCESS && row->flags & (MP_ROW_EXITED | MP_ROW_FOLDED) &&
	       !(row->flags & MP_ROW_OVERFLOW);
}

/* Processes of several hosts may have one number. */
static uint64_t key_of(const struct mp_row *row)
{
	return (uint64_t)row->host << 32 | row->pid;
}

static int note_running(struct mp_map *running, const struct mp_row *row)
{
	return row->kind == MP_ROW_PROCESS && row->pid && !(row->flags & MP_ROW_EXITED) &&
	       !mp_map_add(running, key_of(row), row->start_ns) ? -ENOMEM : 0;
}

int mp_exited_give_back(struct mp_profile *profile)
{
	struct mp_row *row, *end = profile->rows + profile->nr_rows;
	struct mp_map running = { 0 };
	int err = 0;

	for (row = profile->rows; row < end && !err; row++)
		err = note_running(&running, row);
	for (row = profile->rows; row < end && !err; row++)
		if (row->kind == MP_ROW_PROCESS ? row->flags & (MP_ROW_EXITED | MP_ROW_FOLDED) :
		    mp_row_has_location(row) && !(row->flags & MP_ROW_OVERFLOW) &&
		    (row->flags & MP_ROW_FOLDED ||
		     (row->pid && !mp_map_find(&running, key_of(row), row->start_ns))))
			row->value[MP_GROWTH] = 0;
	mp_map_free(&running);
	return err;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Exited processes are first, and those of one name beside each other. */
static int compare_names(const void *x, const void *y)
{
	const struct mp_row *a = x, *b = y;

	if (!has_exited(a) || !has_exited(b))
		return has_exited(b) - has_exited(a);
	return compare(a->host, b->host) ?: compare(a->cgroup, b->cgroup) ?:
	       strcmp(a->comm, b->comm);
}

static void add(struct mp_row *to, const struct mp_row *from)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++) {
		if (mp_metrics[i].nature == MP_FLOW)
			to->value[i] += from->value[i];
		else if (mp_metrics[i].nature == MP_PEAK && from->value[i] > to->value[i])
			to->value[i] = from->value[i];
	}
}

static uint32_t nr_processes(const struct mp_row *row)
{
	return row->flags & MP_ROW_FOLDED ? row->nr_processes : 1;
}

static struct mp_row sum_of(const struct mp_row *rows, size_t nr)
{
	struct mp_row sum = {
		.kind = MP_ROW_PROCESS, .flags = MP_ROW_EXITED | MP_ROW_FOLDED,
		.host = rows->host, .cgroup = rows->cgroup,
	};
	size_t i;

	memcpy(sum.comm, rows->comm, sizeof(sum.comm));
	for (i = 0; i < nr; i++) {
		add(&sum, &rows[i]);
		sum.nr_processes += nr_processes(&rows[i]);
	}
	return sum;
}

void mp_exited_fold(struct mp_profile *profile)
{
	struct mp_row *rows = profile->rows;
	uint32_t processes;
	size_t i, nr, kept = 0;

	if (!profile->nr_rows)
		return;
	qsort(rows, profile->nr_rows, sizeof(*rows), compare_names);
	for (i = 0; i < profile->nr_rows; i += nr) {
		processes = nr_processes(&rows[i]);
		nr = 1;
		while (has_exited(&rows[i]) && i + nr < profile->nr_rows &&
		       !compare_names(&rows[i], &rows[i + nr]))
			processes += nr_processes(&rows[i + nr++]);
		if (nr > 1 && processes > MOST_ALONE) {
			rows[kept++] = sum_of(&rows[i], nr);
			continue;
		}
		memmove(&rows[kept], &rows[i], nr * sizeof(*rows));
		kept += nr;
	}
	profile->nr_rows = kept;
}
