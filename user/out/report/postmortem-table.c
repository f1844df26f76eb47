// SPDX-License-Identifier: GPL-2.0-only
/*
 * postmortem-table: rows over the snapshots of a capture
 *
 * A process that was killed has nothing in the last snapshot, so the most of a row counts.
 */
#include "postmortem-table.h"
#include "human.h"
#include "json-text.h"

#include <stdlib.h>

/* What a row had: the most, and the least before that. */
struct held {
	double most, least, last;
};

static struct held held_of(const struct mp_growth_row *row, size_t nr)
{
	struct held held = { 0 };
	size_t i, at = 0;

	for (i = 1; i < nr; i++)
		if (row->values[i] > row->values[at])
			at = i;
	if (!nr)
		return held;
	held.most = held.least = row->values[at];
	held.last = row->values[nr - 1];
	for (i = 0; i < at; i++)
		if (row->values[i] < held.least)
			held.least = row->values[i];
	return held;
}

/* qsort() passes no context; one thread. */
static size_t nr_points;

static int compare_most(const void *a, const void *b)
{
	const double x = held_of(a, nr_points).most, y = held_of(b, nr_points).most;

	return x < y ? 1 : x > y ? -1 : 0;
}

static int compare_grown(const void *a, const void *b)
{
	const struct held x = held_of(a, nr_points), y = held_of(b, nr_points);
	const double more = x.most - x.least - (y.most - y.least);

	return more < 0 ? 1 : more > 0 ? -1 : compare_most(a, b);
}

static bool is_level(const struct mp_growth *growth)
{
	return mp_metrics[growth->metric].nature == MP_LEVEL;
}

void mp_postmortem_rank(struct mp_growth *growth)
{
	nr_points = growth->nr;
	if (growth->nr_rows)
		qsort(growth->rows, growth->nr_rows, sizeof(*growth->rows),
		      is_level(growth) ? compare_most : compare_grown);
}

double mp_postmortem_most(const struct mp_growth *growth)
{
	return held_of(growth->rows, growth->nr).most;
}

static const char *name_of(const struct mp_growth *growth, uint32_t name)
{
	return growth->names.list[name];
}

static size_t nr_shown(const struct mp_growth *growth, size_t limit)
{
	return limit && limit < growth->nr_rows ? limit : growth->nr_rows;
}

void mp_postmortem_table(FILE *file, const struct mp_growth *growth, size_t limit)
{
	char most[MP_HUMAN_SIZE], grew[MP_HUMAN_SIZE], last[MP_HUMAN_SIZE];
	size_t i;

	fprintf(file, "%8s  %8s  ", mp_metrics[growth->metric].heading, "GREW");
	if (is_level(growth))
		fprintf(file, "%8s  ", "AT END");
	fprintf(file, "%-15s  CGROUP%s\n", "COMM",
		growth->kind == MP_ROW_SITE ? "  CALLSITE" : "");
	for (i = 0; i < nr_shown(growth, limit); i++) {
		const struct mp_growth_row *row = &growth->rows[i];
		const struct held held = held_of(row, growth->nr);

		fprintf(file, "%8s  %8s  ", mp_human_bytes(most, (uint64_t)held.most),
			mp_human_bytes(grew, (uint64_t)(held.most - held.least)));
		if (is_level(growth))
			fprintf(file, "%8s  ", mp_human_bytes(last, (uint64_t)held.last));
		fprintf(file, "%-15s  %s%s%s\n",
			name_of(growth, row->comm), name_of(growth, row->shown),
			*name_of(growth, row->name) ? "  " : "", name_of(growth, row->name));
	}
	if (i < growth->nr_rows)
		fprintf(file, "... and %zu more (-n 0 shows all)\n", growth->nr_rows - i);
}

static void put_text(FILE *file, const char *key, const char *text)
{
	fprintf(file, ",\"%s\":", key);
	mp_json_text(file, text);
}

void mp_postmortem_json(FILE *file, const struct mp_growth *growth, const char *type,
			size_t limit)
{
	size_t i;

	for (i = 0; i < nr_shown(growth, limit); i++) {
		const struct mp_growth_row *row = &growth->rows[i];
		const struct held held = held_of(row, growth->nr);

		fprintf(file, "{\"type\":\"%s\"", type);
		put_text(file, "comm", name_of(growth, row->comm));
		put_text(file, "cgroup", name_of(growth, row->cgroup));
		if (row->shown != row->cgroup)
			put_text(file, "cgroup_name", name_of(growth, row->shown));
		if (growth->kind == MP_ROW_SITE)
			put_text(file, "callsite", name_of(growth, row->name));
		put_text(file, "metric", mp_metrics[growth->metric].key);
		fprintf(file, ",\"most\":%.0f,\"grew\":%.0f,\"at_end\":%.0f}\n", held.most,
			held.most - held.least, held.last);
	}
}
