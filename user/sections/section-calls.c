// SPDX-License-Identifier: GPL-2.0-only
/*
 * section-calls: turns sections into a tree of calls, in the order of their
 * starts
 *
 * Sections are visited in the order of their starts. When a section starts, each
 * open section that ends before the new section's end is closed. This is correct
 * also for sections that cross: a section that starts later and is inside the
 * closed section is also inside the new section. The cost is one sort. If
 * memory is short, -ENOMEM is returned.
 */
#include "section-calls.h"

#include <errno.h>
#include <stdlib.h>

static int compare_start(const void *x, const void *y)
{
	const struct memprof_section *a = *(const struct memprof_section **)x;
	const struct memprof_section *b = *(const struct memprof_section **)y;

	return (a->start_seq > b->start_seq) - (a->start_seq < b->start_seq);
}

/* Makes a time without ticks, because each section has its own count of units. */
static struct mp_calls_time moment(uint64_t ns)
{
	return (struct mp_calls_time){ .ns = ns, .known = ns };
}

static int enter_section(struct mp_calls *calls, const struct memprof_section *section)
{
	const struct mp_calls_time now = moment(section->start_ns);

	return mp_calls_enter(calls, section->id, section->id_len, &now);
}

static int leave_section(struct mp_calls *calls, const struct memprof_section *section,
			 uint64_t units)
{
	const struct mp_calls_time now = moment(section->end_ns);

	mp_calls_spend(calls, units);
	return mp_calls_exit(calls, &now);
}

static int add_toplevel(struct mp_calls *calls, const struct memprof_section *section)
{
	int err = enter_section(calls, section);

	return err ? err : leave_section(calls, section, section->total_cu);
}

/*
 * Adds calls for sections. @sorted: sections by their start. @open: an array with
 * room for all sections.
 */
static int add_calls(struct mp_calls *calls, const struct memprof_section **sorted,
		size_t nr, const struct memprof_section **open, bool top_only)
{
	size_t i, nr_open = 0;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		for (; !err && nr_open &&
		     open[nr_open - 1]->end_seq < sorted[i]->end_seq; nr_open--)
			if (!top_only)
				err = leave_section(calls, open[nr_open - 1],
						    open[nr_open - 1]->net_cu);
		if (!err && !top_only)
			err = enter_section(calls, sorted[i]);
		else if (!err && !nr_open)
			err = add_toplevel(calls, sorted[i]);
		open[nr_open++] = sorted[i];
	}
	for (; !err && nr_open && !top_only; nr_open--)
		err = leave_section(calls, open[nr_open - 1], open[nr_open - 1]->net_cu);
	return err;
}

int mp_section_calls(struct mp_calls *calls,
		     const struct mp_section_flush *flush, bool top_only)
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
	err = add_calls(calls, sorted, flush->nr, sorted + flush->nr, top_only);
	free(sorted);
	return err;
}
