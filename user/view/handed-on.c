// SPDX-License-Identifier: GPL-2.0-only
/*
 * handed-on: Python's lines keep what other lines allocated
 *
 * Python has lists of freed objects: dicts, floats, functions, tuples. Who needs one takes it
 * from there, without an allocation, so it stays with the line that made it first. In a program
 * that makes many and keeps a few, the line that keeps them seems to allocate nothing, and the
 * line that frees all seems to leak.
 */
#include "handed-on.h"
#include "interpreted.h"
#include "sites.h"

#include <string.h>

/*
 * A large list or dict of Python: its bytes, how often it was enlarged at most, and how many of
 * them a line has; what they were before is freed
 */
#define LEAST_ENLARGED	(512 << 10)
#define MOST_ENLARGED	16
#define MOST_LISTS	2

/* A line of Python that keeps so many times the part of its blocks is rather what leaks. */
#define LEAST_KEPT	3

/* It holds at least one part in so many of what the other line seems to hold. */
#define MOST_HANDED	3

/* A line of Python that keeps at least this part of its bytes is believed to keep them itself. */
#define LEAST_OWN	0.5

/* A line that keeps a smaller part of its blocks frees more than "almost nothing". */
#define MOST_KEPT	0.9

/* Files that a program does not have of its own, such as Python's library. */
bool mp_is_in_library(const struct mp_profile *sites, const struct mp_row *row)
{
	static const char * const folders[] = {
		"/lib/python", "/site-packages/", "/dist-packages/", "/node_modules/",
	};
	const struct mp_line *line = mp_profile_line(sites, &row->location);
	const char *file = line ? mp_symbols_text(&sites->symbols, line->file) : NULL;
	size_t i;

	for (i = 0; file && i < sizeof(folders) / sizeof(*folders); i++)
		if (strstr(file, folders[i]))
			return true;
	return false;
}

static bool is_python(const struct mp_profile *sites, const struct mp_row *row)
{
	return row->location.binary &&
	       mp_interpreted_is(sites->binaries[row->location.binary - 1].path);
}

/* The part of its blocks that a callsite keeps */
static double kept_part(const struct mp_row *row)
{
	const double allocs = (double)row->value[MP_ALLOC_OBJECTS];
	const double frees = (double)row->value[MP_FREE_OBJECTS];

	return allocs > frees ? (allocs - frees) / allocs : 0;
}

/*
 * How many times the part of its blocks a line has to keep. Of a line of the program that keeps
 * what it makes, any part is more than that of a line of Python's library.
 */
static double least_kept(const struct mp_fates *fates, const struct mp_row *first,
			 const struct mp_row *row)
{
	return mp_is_in_library(fates->sites, first) && !mp_is_in_library(fates->sites, row) &&
	       mp_fate_is_kept(mp_fate_of(fates, row)) ? 0 : LEAST_KEPT;
}

/*
 * Python hands freed objects on without its allocator: they stay with the line that made them
 * first. It frees nearly all, and seems to keep more than the line that leaks.
 */
static bool may_be_handed(const struct mp_keepers *found, const struct mp_fates *fates,
			  const struct mp_row *row)
{
	const struct mp_row *first = found->keeper;
	const uint64_t held = row->value[found->held];
	enum mp_fate fate;

	if (row == first || !mp_fates_have(fates, row) || !is_python(fates->sites, row) ||
	    held < MP_LEAST_LEAK || held < first->value[found->held] / MOST_HANDED ||
	    kept_part(row) < least_kept(fates, first, row) * kept_part(first) ||
	    (mp_is_in_library(fates->sites, row) && !mp_is_in_library(fates->sites, first)))
		return false;
	/* a full cache, and what the program began with, keep theirs */
	fate = mp_fate_of(fates, row);
	return fate != MP_FATE_RENEWED && fate != MP_FATE_STABLE;
}

/*
 * Whether a line of Python has few and large blocks: a list, or the table of a dict, is
 * allocated anew whenever it is full. Whoever keeps things enlarges what he keeps them in.
 */
static bool may_enlarge(const struct mp_fates *fates, const struct mp_row *row)
{
	const uint64_t allocs = row->value[MP_ALLOC_OBJECTS];

	return mp_fates_have(fates, row) && is_python(fates->sites, row) &&
	       !mp_is_in_library(fates->sites, row) && allocs > 1 && allocs <= MOST_ENLARGED &&
	       row->value[fates->held] >= LEAST_ENLARGED &&
	       row->value[fates->held] / allocs >= LEAST_ENLARGED / MOST_ENLARGED &&
	       row->value[MP_FREE_OBJECTS] + MOST_LISTS >= allocs;
}

static const struct mp_row *find_enlarger(const struct mp_fates *fates)
{
	const struct mp_profile *sites = fates->sites;
	const struct mp_row *row, *largest = NULL;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (may_enlarge(fates, row))
			mp_fates_take_larger(fates, &largest, row);
	return largest;
}

static void find_hands_on(struct mp_keepers *found)
{
	const struct mp_row *first = found->keeper;

	found->hands_on = (double)first->value[found->held] <
			  LEAST_OWN * (double)first->value[MP_ALLOC_SPACE];
}

/* Whether the process has grown by far more than what the keeper holds */
static bool explains_little(const struct mp_keepers *found, const struct mp_fates *fates)
{
	const int64_t grown = (int64_t)fates->process->value[MP_RESIDENT_DELTA];

	return fates->is_older && grown > 0 &&
	       found->keeper->value[found->held] < (uint64_t)grown / 2;
}

/* A line of Python's library keeps nothing, and nor does one whose blocks were handed on. */
void mp_handed_on_receiver(struct mp_keepers *found, const struct mp_fates *fates)
{
	if (found->nr_callers || !is_python(fates->sites, found->keeper))
		return;
	if (found->is_early)
		find_hands_on(found);
	found->is_anothers = found->hands_on || found->handed_on || found->is_early ||
			     mp_is_in_library(fates->sites, found->keeper) ||
			     explains_little(found, fates);
	if (found->is_anothers)
		found->enlarger = find_enlarger(fates);
	if (found->enlarger == found->keeper)
		found->enlarger = NULL;
}

void mp_handed_on_find(struct mp_keepers *found, const struct mp_fates *fates)
{
	const struct mp_profile *sites = fates->sites;
	const struct mp_row *first = found->keeper, *other = NULL, *row;

	if (found->nr_callers || !is_python(sites, first))
		return;
	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (may_be_handed(found, fates, row) &&
		    !(other && row->value[found->held] <= other->value[found->held]))
			other = row;
	if (!other) {
		find_hands_on(found);
		return;
	}
	found->keeper = other;
	if (found->other && is_python(sites, found->other))
		found->other = NULL;
	found->handed_on = first;
	found->is_steady = mp_fate_of(fates, other) == MP_FATE_KEPT_STEADILY ||
			   kept_part(other) < MOST_KEPT;
	found->is_for = false;
}
