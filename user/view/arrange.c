// SPDX-License-Identifier: GPL-2.0-only
/*
 * arrange: filters, groups, merges and sorts a profile or a copy of it
 *
 * Rows of callsites are merged three times: first those of one program in one
 * process and those of one sum of exited processes, then those of one process,
 * then those of one group. So each process is counted once. Without memory it
 * returns -ENOMEM.
 */
#include "arrange.h"
#include "grouping.h"
#include "profile-copy.h"
#include "rollup.h"

static int choose_callsites(const struct mp_arrange *arrange,
			    struct mp_profile *rows)
{
	/*
	 * the engine's sums of a callsite are not valid for a part of its
	 * stacks
	 */
	bool anew = arrange->hides ||
		    mp_filter_has(&arrange->filter, MP_FILTER_SYMBOL);

	mp_filter_apply(&arrange->filter, rows);
	return mp_callsites_choose(rows, &arrange->callsites, anew);
}

static void merge_rows(const struct mp_arrange *arrange,
		       struct mp_profile *rows)
{
	unsigned int keys = arrange->keys |
			    (arrange->top ? MP_GROUP_CGROUP : 0);

	mp_grouping_apply(rows, keys | MP_GROUP_PID | MP_GROUP_COMM |
			  MP_GROUP_CGROUP);
	mp_profile_merge(rows);
	mp_grouping_apply(rows, keys | MP_GROUP_PID);
	mp_profile_merge(rows);
	mp_grouping_apply(rows, keys);
	mp_profile_merge(rows);
}

/*
 * Sums come first: they add rows, and the added rows need the kernel's numbers,
 * too.
 */
static int add_up_cgroups(const struct mp_arrange *arrange,
			  struct mp_profile *rows)
{
	/* a filter of processes leaves sums of all processes otherwise */
	bool some = mp_filter_has(&arrange->filter, MP_FILTER_PID) ||
		    mp_filter_has(&arrange->filter, MP_FILTER_COMM);
	int err = some ? mp_rollup_processes(rows) : 0;

	err = err ?: mp_rollup_sizes(rows);
	/*
	 * ancestors of the targets' cgroups may have had no event, so no name
	 */
	if (!err && arrange->recursive && arrange->name_cgroups)
		err = arrange->name_cgroups(rows);
	if (!err && arrange->recursive)
		err = mp_rollup_nested(rows);
	if (err)
		return err;
	if (arrange->fill_cgroups)
		arrange->fill_cgroups(arrange->cgroups, rows);
	mp_rollup_rest(rows);
	return 0;
}

int mp_arrange_rows(const struct mp_arrange *arrange,
		    const struct mp_profile *profile, struct mp_profile *rows)
{
	int err = rows == profile ? 0 : mp_profile_copy(rows, profile);

	if (!err && mp_arrange_has_locations(arrange))
		err = choose_callsites(arrange, rows);
	else if (!err)
		mp_filter_apply(&arrange->filter, rows);
	if (err)
		return err;
	merge_rows(arrange, rows);
	if (arrange->kind == MP_ROW_CGROUP)
		err = add_up_cgroups(arrange, rows);
	if (!err)
		mp_profile_sort(rows, arrange->sort);
	return err;
}
