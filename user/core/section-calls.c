// SPDX-License-Identifier: GPL-2.0-only
/*
 * section-calls: intervals to a tree, in the order of their starts
 *
 * When a section starts, those on the stack that ended before its end are over for
 * good: what starts later and is inside of one of them is inside of this one, too.
 * So one pass over the sorted starts is enough, crossing or not.
 */
#include "section-calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_start(const void *x, const void *y)
{
	const struct memprof_section *a = *(const struct memprof_section **)x;
	const struct memprof_section *b = *(const struct memprof_section **)y;

	return (a->start_seq > b->start_seq) - (a->start_seq < b->start_seq);
}

static int enter(struct mp_calls *calls, const struct memprof_section *section,
		 uint64_t tick)
{
	const struct mp_calls_time now = {
		.tick = tick, .ns = section->start_ns,
		.known = section->start_ns,
	};

	return mp_calls_enter(calls, section->id, section->id_len, &now);
}

static int leave(struct mp_calls *calls, const struct memprof_section *section,
		 uint64_t *tick)
{
	struct mp_calls_time now = {
		.ns = section->end_ns, .known = section->end_ns,
	};

	*tick = *tick + section->net_cu < *tick ? UINT64_MAX :
						  *tick + section->net_cu;
	now.tick = *tick;
	return mp_calls_exit(calls, &now);
}

/* @open: room for all, @sorted is by start. */
static int walk(struct mp_calls *calls, const struct memprof_section **sorted,
		size_t nr, const struct memprof_section **open, uint64_t *tick)
{
	size_t i, nr_open = 0;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		while (!err && nr_open &&
		       open[nr_open - 1]->end_seq < sorted[i]->end_seq)
			err = leave(calls, open[--nr_open], tick);
		if (!err)
			err = enter(calls, sorted[i], *tick);
		open[nr_open++] = sorted[i];
	}
	while (!err && nr_open)
		err = leave(calls, open[--nr_open], tick);
	return err;
}

int mp_section_calls(struct mp_calls *calls,
		     const struct mp_section_flush *flush, uint64_t *tick)
{
	const struct memprof_section **sorted;
	size_t i;
	int err;

	sorted = malloc(2 * flush->nr * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < flush->nr; i++)
		sorted[i] = &flush->records[i];
	qsort(sorted, flush->nr, sizeof(*sorted), compare_start);
	err = walk(calls, sorted, flush->nr, sorted + flush->nr, tick);
	free(sorted);
	return err;
}
