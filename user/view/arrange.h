/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arrange: turns the rows of a source into the rows of a report
 */
#ifndef MP_ARRANGE_H
#define MP_ARRANGE_H

#include "callsites.h"
#include "filter.h"

/**
 * struct mp_arrange - how to arrange rows
 * @kind: kind of rows to show
 * @top: also show callsites of each cgroup
 * @sort: metric to sort by
 * @filter: rows to keep
 * @callsites: functions and files that cannot be callsites
 * @hides: the user named additional wrappers, which cannot be callsites
 * @python, @native: leave only the functions of interpreted programs, or only the others,
 *	in stacks that have some; both: leave all
 * @trims: leave out how a program starts, unless @native is set
 * @keys: MP_GROUP_* bits: rows that differ only in other fields are merged, see
 *	grouping.h
 * @by_host: in the place of cgroups, rows of machines
 * @growth_now: where some run, what has exited has no GROWTH any more
 * @folds_exited: many exited processes of one name are one row, if others run
 * @recursive: rows of cgroups include their descendants
 * @name_cgroups: adds the paths of all cgroups; NULL: the profile has them
 * @fill_cgroups: adds the kernel's numbers to rows of cgroups; or NULL
 * @cgroups: context of @fill_cgroups
 */
struct mp_arrange {
	enum mp_row_kind kind;
	bool top;
	enum mp_metric sort;
	struct mp_filter filter;
	struct mp_callsites callsites;
	bool hides;
	bool python, native, trims;
	unsigned int keys;
	bool by_host;
	bool growth_now;
	bool folds_exited;
	bool recursive;
	int (*name_cgroups)(struct mp_profile *profile);
	void (*fill_cgroups)(const void *cgroups, struct mp_profile *profile);
	const void *cgroups;
};

/** mp_arrange_has_locations - whether callsites or stacks are shown */
static inline bool mp_arrange_has_locations(const struct mp_arrange *arrange)
{
	return arrange->top || arrange->kind == MP_ROW_SITE ||
	       arrange->kind == MP_ROW_STACK;
}

/**
 * mp_arrange_rows - filter, group, merge and sort the rows of a profile
 * @profile: a profile for which mp_sites_adopt() was called. If callsites or stacks
 *	are shown, its frames must have symbols
 * @rows: out: a changed copy of @profile; free it also after an error. If @rows is
 *	@profile, that is changed instead, which saves the copy
 *
 * Return: 0, or -ENOMEM.
 */
int mp_arrange_rows(const struct mp_arrange *arrange,
		    const struct mp_profile *profile, struct mp_profile *rows);

/**
 * mp_arrange_sort - sort rows, also again after values of them were changed
 * @kind: the kind that is shown
 *
 * The highest value is first. By DELTA, the processes that lead are first, see
 * mp_growers_leads(), and memprofctl and its collector are the last ones; cgroups are sorted as
 * if nothing else had grown in them.
 */
void mp_arrange_sort(struct mp_profile *rows, enum mp_row_kind kind, enum mp_metric sort);

#endif
