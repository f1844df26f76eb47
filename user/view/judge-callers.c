// SPDX-License-Identifier: GPL-2.0-only
/*
 * judge-callers: looks through a program's own wrappers of an allocator
 *
 * The cost is three passes over the rows of stacks for each of the largest callsites.
 */
#include "judge-callers.h"
#include "callers.h"
#include "sites.h"
#include "suspects.h"

#include <string.h>

/* Functions between a callsite and a caller that is judged, itself included */
#define MAX_WRAPPERS	3

/* Functions outwards in which a common caller of two callsites is searched */
#define MAX_COMMON	10

/* The part of what a callsite holds that a common caller has */
#define COMMON_PERCENT	90

/* Callsites that are looked at as wrappers */
#define MAX_LARGEST	4

/* The callsite that holds most, outside of the functions of @before; or NULL */
static const struct mp_row *next_largest(const struct mp_fates *fates,
					 const struct mp_row *const *before, size_t nr)
{
	const struct mp_profile *sites = fates->sites;
	const struct mp_row *row, *largest = NULL;
	size_t i;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++) {
		if (row->value[fates->held] < MP_LEAST_LEAK || !mp_fates_have(fates, row))
			continue;
		for (i = 0; i < nr && !mp_fates_are_same(fates, before[i], row); i++)
			;
		if (i == nr)
			mp_fates_take_larger(fates, &largest, row);
	}
	return largest;
}

/* The callsites that hold most, one of each function. Returns how many there are. */
static size_t find_largest(const struct mp_fates *fates, const struct mp_row **largest)
{
	size_t nr;

	for (nr = 0; nr < MAX_LARGEST; nr++) {
		largest[nr] = next_largest(fates, largest, nr);
		if (!largest[nr])
			break;
	}
	return nr;
}

static void name_caller(struct mp_keepers *found, const struct mp_row *wrapper,
			const struct mp_row *caller)
{
	found->keeper = wrapper;
	found->caller = *caller;
	found->nr_callers = 1;
	found->other = NULL;
}

static const char *name_of(const struct mp_fates *fates, const struct mp_row *row)
{
	const struct mp_line *line = mp_profile_line(fates->sites, &row->location);

	return line ? mp_symbols_text(&fates->sites->symbols, line->function) : NULL;
}

/*
 * Functions in which each thread begins are no callers. In a stripped program they may be the
 * only ones with names.
 */
static bool is_outside(const struct mp_fates *fates, const struct mp_row *row)
{
	static const char * const names[] = {
		"_start", "start_thread", "clone", "clone3", "__clone", "__clone3",
		"g_thread_proxy", "runtime.goexit",
	};
	const char *name = name_of(fates, row);
	size_t i;

	for (i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return !name || !strncmp(name, "__libc_start_", strlen("__libc_start_"));
}

/* The callers of a callsite, of the process. Valid until the next call. */
static const struct mp_callers *find_callers(const struct mp_fates *fates,
					     const struct mp_row *wrapper, unsigned int depth)
{
	static struct mp_callers callers;

	mp_callers_find(fates->sites, &wrapper->location,
			fates->is_alone ? 0 : fates->process->pid, depth, fates->held, &callers);
	return &callers;
}

/* Whether what a callsite or a caller holds is a leak's, and rests on some samples */
static bool is_known(const struct mp_fates *fates, const struct mp_row *row)
{
	const uint64_t held = row->value[fates->held];

	return held >= MP_LEAST_LEAK &&
	       held >= MP_LEAST_NAMED_SAMPLES * mp_alloc_distance(fates->alloc, row->value);
}

/* A part of what is held, or of the growth */
static bool is_worth_naming(const struct mp_fates *fates, const struct mp_row *caller)
{
	const int64_t grown = (int64_t)fates->process->value[MP_RESIDENT_DELTA];
	const uint64_t held = caller->value[fates->held];

	return is_known(fates, caller) &&
	       (held >= fates->process->value[fates->held] / 10 ||
		(fates->is_older && grown > 0 && held >= (uint64_t)grown / 4));
}

static void take_two(const struct mp_fates *fates, const struct mp_row **first,
		     const struct mp_row **second, const struct mp_row *row)
{
	const struct mp_row *before = *first;

	mp_fates_take_larger(fates, first, row);
	if (*first != before)
		*second = before;
	else
		mp_fates_take_larger(fates, second, row);
}

/* Of callers of two wrappers, the one that keeps more is named first. */
static void name_larger(struct mp_keepers *found, const struct mp_fates *fates,
			const struct mp_row *wrapper, const struct mp_row *caller)
{
	const enum mp_metric held = found->held;
	const struct mp_keepers before = *found;
	const bool is_larger = !before.nr_callers ||
			       caller->value[held] > before.caller.value[held];
	const struct mp_row *first = is_larger ? caller : &before.caller;
	const struct mp_row *second = is_larger ? &before.caller : caller;

	if (is_larger) {
		name_caller(found, wrapper, caller);
		found->is_steady = mp_fate_of(fates, caller) == MP_FATE_KEPT_STEADILY;
	}
	if (before.nr_callers && !mp_fates_are_same(fates, first, second) &&
	    second->value[held] >= first->value[held] / MP_LEAST_OTHER && is_known(fates, second) &&
	    (is_larger || before.nr_callers == 1)) {
		found->other_caller = *second;
		found->nr_callers = 2;
	}
}

/* Returns whether a caller that keeps is found, beside one that frees. */
static bool judge_callers(struct mp_keepers *found, const struct mp_fates *fates,
			  const struct mp_row *wrapper, unsigned int depth)
{
	const enum mp_metric held = found->held;
	const struct mp_callers *callers = find_callers(fates, wrapper, depth);
	const struct mp_row *row, *keeper = NULL, *other = NULL;
	bool is_renewed = false;
	enum mp_fate fate;

	for (row = callers->rows; row < callers->rows + callers->nr; row++) {
		if (is_outside(fates, row))
			continue;
		fate = mp_fate_of(fates, row);
		is_renewed |= fate == MP_FATE_RENEWED;
		if (mp_fate_is_kept(fate))
			take_two(fates, &keeper, &other, row);
	}
	if (!keeper || !is_renewed || !is_worth_naming(fates, keeper) ||
	    (found->keeper && found->keeper != wrapper && !found->nr_callers &&
	     found->keeper->value[held] > keeper->value[held]))
		return false;
	name_larger(found, fates, wrapper, keeper);
	if (found->nr_callers == 1 && found->keeper == wrapper && other &&
	    other->value[held] >= keeper->value[held] / MP_LEAST_OTHER && is_known(fates, other)) {
		found->other_caller = *other;
		found->nr_callers = 2;
	}
	return true;
}

/*
 * A wrapper of an allocator allocates for a leak and for a cache, and looks like neither. So
 * its callers are judged: if one of them keeps what another one frees, it is named instead.
 */
void mp_callers_judge(struct mp_keepers *found, const struct mp_fates *fates)
{
	const struct mp_row *largest[MAX_LARGEST];
	const size_t nr = find_largest(fates, largest);
	unsigned int depth;
	size_t i;

	for (i = 0; i < nr; i++)
		for (depth = 1; depth <= MAX_WRAPPERS; depth++)
			if (judge_callers(found, fates, largest[i], depth))
				break;
}

/* The largest caller that keeps what a wrapper allocates, if another one frees it; or NULL */
static const struct mp_row *find_keeping_caller(const struct mp_fates *fates,
						const struct mp_row *wrapper, unsigned int depth)
{
	const struct mp_callers *callers = find_callers(fates, wrapper, depth);
	const struct mp_row *row, *keeper = NULL;
	bool is_renewed = false;
	enum mp_fate fate;

	for (row = callers->rows; row < callers->rows + callers->nr; row++) {
		fate = mp_fate_of(fates, row);
		is_renewed |= fate == MP_FATE_RENEWED;
		if (mp_fate_is_kept(fate) && !is_outside(fates, row) && is_known(fates, row))
			mp_fates_take_larger(fates, &keeper, row);
	}
	return is_renewed ? keeper : NULL;
}

void mp_callers_beside(struct mp_keepers *found, const struct mp_fates *fates, uint64_t least)
{
	const struct mp_row *largest[MAX_LARGEST], *caller;
	const size_t nr = find_largest(fates, largest);
	unsigned int depth;
	size_t i;

	for (i = 0; i < nr && !found->has_wrapped; i++)
		for (depth = 1; depth <= MAX_WRAPPERS && !found->has_wrapped; depth++) {
			if (found->other && !mp_fates_are_same(fates, largest[i], found->other))
				continue;
			caller = find_keeping_caller(fates, largest[i], depth);
			if (!caller || caller->value[found->held] < least ||
			    mp_fates_are_same(fates, found->keeper, caller))
				continue;
			found->wrapped = *caller;
			found->has_wrapped = true;
		}
}

/*
 * A callsite whose callers all keep what it allocates for them: the one that has most of it is
 * named, too, if there are several. It may be some functions outwards.
 */
void mp_callers_most_for(struct mp_keepers *found, const struct mp_fates *fates)
{
	const uint64_t held = found->keeper->value[found->held];
	const struct mp_row *row, *first, *second;
	const struct mp_callers *callers;
	unsigned int depth;
	enum mp_fate fate;

	/* callers are those of all lines of the function */
	if (mp_fates_held(fates, found->keeper) != held)
		return;
	for (depth = 1; depth <= MAX_WRAPPERS; depth++) {
		callers = find_callers(fates, found->keeper, depth);
		first = second = NULL;
		for (row = callers->rows; row < callers->rows + callers->nr; row++) {
			fate = mp_fate_of(fates, row);
			if (mp_fate_is_kept(fate) && !is_outside(fates, row))
				take_two(fates, &first, &second, row);
		}
		if (!first)
			return;
		if (second && second->value[found->held] >= held / 50) {
			found->most_for = *first;
			found->is_for = is_worth_naming(fates, first);
			return;
		}
	}
}

/* The caller at each distance from a callsite that has nearly all of what it holds */
struct path {
	struct mp_row rows[MAX_COMMON];
	bool is_known[MAX_COMMON];
};

static void find_path(const struct mp_fates *fates, const struct mp_row *site, struct path *path)
{
	const uint64_t held = mp_fates_held(fates, site);
	const struct mp_callers *callers;
	unsigned int depth;
	size_t i;

	*path = (struct path){ 0 };
	for (depth = 0; depth < MAX_COMMON; depth++) {
		callers = find_callers(fates, site, depth + 1);
		for (i = 0; i < callers->nr && !path->is_known[depth]; i++) {
			path->rows[depth] = callers->rows[i];
			path->is_known[depth] = callers->rows[i].value[fates->held] >=
						held / 100 * COMMON_PERCENT;
		}
	}
}

/* A function in which all of a thread runs says nothing. */
static bool is_begin(const struct mp_fates *fates, const struct mp_row *row)
{
	static const char * const begins[] = {
		"main", "main.main", "py::main", "py::<module>",
	};
	const char *name = name_of(fates, row);
	size_t i;

	for (i = 0; name && i < sizeof(begins) / sizeof(*begins); i++)
		if (!strcmp(name, begins[i]))
			return true;
	/* a function of JavaScript without a name ends with the colon of "JS:" */
	return is_outside(fates, row) || !name[0] || name[strlen(name) - 1] == ':';
}

/* A function of C++'s library, also with the type that it returns before its name */
static bool is_of_library(const struct mp_fates *fates, const struct mp_row *row)
{
	const char *name = name_of(fates, row);
	const char *std = name ? strstr(name, "std::") : NULL;

	return std && std < name + strcspn(name, "(");
}

void mp_callers_of_top(struct mp_keepers *found, const struct mp_fates *fates)
{
	const uint64_t had = found->top->value[MP_AT_PEAK];
	struct mp_fates at_peak = *fates;
	const struct mp_row *row, *first, *second;
	const struct mp_callers *callers;
	unsigned int depth;

	at_peak.held = MP_AT_PEAK;
	/* callers are those of all lines of the function */
	if (mp_fates_held(&at_peak, found->top) != had)
		return;
	for (depth = 1; depth <= MAX_COMMON; depth++) {
		callers = find_callers(&at_peak, found->top, depth);
		first = second = NULL;
		for (row = callers->rows; row < callers->rows + callers->nr; row++)
			if (!is_outside(fates, row))
				take_two(&at_peak, &first, &second, row);
		if (!first || is_begin(fates, first))
			return;
		/* the nearest one that says something */
		if (is_of_library(fates, first) || (found->is_for && !second))
			continue;
		found->most_for = *first;
		found->is_for = first->value[MP_AT_PEAK] >= had / 3 &&
				!mp_fates_are_same(fates, first, found->top);
		if (second && second->value[MP_AT_PEAK] >= had / 50)
			return;
	}
}

void mp_callers_common(struct mp_keepers *found, const struct mp_fates *fates)
{
	struct path one, two;
	size_t i, sum;

	if (!found->other)
		return;
	find_path(fates, found->keeper, &one);
	find_path(fates, found->other, &two);
	/* the nearest one to both */
	for (sum = 0; sum < 2 * MAX_COMMON - 1 && !found->has_common; sum++)
		for (i = 0; i <= sum && !found->has_common; i++) {
			if (i >= MAX_COMMON || sum - i >= MAX_COMMON || !one.is_known[i] ||
			    !two.is_known[sum - i] ||
			    !mp_fates_are_same(fates, &one.rows[i], &two.rows[sum - i]))
				continue;
			if (is_begin(fates, &one.rows[i]))
				return;
			found->common = one.rows[i];
			found->has_common = true;
		}
}

/* Names one or two callers of a callsite that may be what grows. Returns whether there are some. */
static bool suspect_callers_of(struct mp_keepers *found, const struct mp_fates *fates,
			       const struct mp_row *wrapper, unsigned int depth)
{
	const struct mp_callers *callers = find_callers(fates, wrapper, depth);
	const struct mp_row *row, *first = NULL, *second = NULL;
	bool is_renewed = false;
	unsigned int nr = 0;

	for (row = callers->rows; row < callers->rows + callers->nr; row++) {
		is_renewed |= mp_fate_of(fates, row) == MP_FATE_RENEWED;
		if (is_outside(fates, row) ||
		    !mp_suspects_hold(fates, row, row->value[fates->held], true))
			continue;
		nr++;
		take_two(fates, &first, &second, row);
	}
	/* a suspect is itself what may leak, unless it is seen to be a wrapper */
	if (callers->nr < 2 || !nr || nr > 2 || (found->keeper && !is_renewed))
		return false;
	name_caller(found, wrapper, first);
	if (second)
		found->other_caller = *second;
	found->nr_callers = nr;
	return true;
}

/* Who calls one of the largest callsites */
static void suspect_any(struct mp_keepers *found, const struct mp_fates *fates)
{
	const struct mp_row *largest[MAX_LARGEST];
	const size_t nr = find_largest(fates, largest);
	unsigned int depth;
	size_t i;

	for (i = 0; i < nr; i++)
		for (depth = 1; depth <= MAX_WRAPPERS; depth++)
			if (suspect_callers_of(found, fates, largest[i], depth))
				return;
}

void mp_callers_suspect(struct mp_keepers *found, const struct mp_fates *fates)
{
	unsigned int depth;

	if (!found->keeper) {
		suspect_any(found, fates);
		return;
	}
	for (depth = 1; !found->other && depth <= MAX_WRAPPERS; depth++)
		if (suspect_callers_of(found, fates, found->keeper, depth))
			return;
}
