/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arrange: from the rows that a source gave to the rows that a report shows
 */
#ifndef MP_ARRANGE_H
#define MP_ARRANGE_H

#include "callsites.h"
#include "filter.h"

/**
 * struct mp_arrange - how to arrange
 * @kind: rows that are to be shown
 * @top: callsites of each cgroup are shown, too
 * @sort: by this metric
 * @filter: which rows
 * @callsites: which functions and files no callsite is in
 * @hides: the user named wrappers, besides the known ones
 * @keys: what tells rows of callsites apart, see grouping.h
 * @recursive: cgroups include the cgroups below them
 * @name_cgroups: gives names to all cgroups there are; NULL: the profile has all
 * @fill_cgroups: adds to rows of cgroups what the kernel says of them; or NULL
 * @cgroups: for @fill_cgroups
 */
struct mp_arrange {
	enum mp_row_kind kind;
	bool top;
	enum mp_metric sort;
	struct mp_filter filter;
	struct mp_callsites callsites;
	bool hides;
	unsigned int keys;
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
 * mp_arrange_rows - filter, group, merge and sort
 * @profile: stays as it is; where callsites or stacks are shown, its frames have
 *	names
 * @rows: out, to be freed in any case
 *
 * Return: 0, or -ENOMEM.
 */
int mp_arrange_rows(const struct mp_arrange *arrange,
		    const struct mp_profile *profile, struct mp_profile *rows);

#endif
