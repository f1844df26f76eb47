// SPDX-License-Identifier: GPL-2.0-only
/*
 * arrange: filters, groups, merges and sorts a profile or a copy of it
 *
 * Rows of callsites are merged in three steps, so that each process is counted
 * once: first the rows of one program in one process, and of one sum of exited
 * processes; then the rows of one process; then the rows of one group. If memory is
 * short, -ENOMEM is returned.
 */
#include "arrange.h"
#include "exited.h"
#include "frame-kind.h"
#include "grouping.h"
#include "growers.h"
#include "hosts.h"
#include "own-rows.h"
#include "profile-copy.h"
#include "rollup.h"

#include <string.h>

static int choose_callsites(const struct mp_arrange *arrange,
			    struct mp_profile *rows)
{
	/*
	 * a filter by symbol may remove some stacks of a callsite: then the
	 * engine's sum for the callsite is not valid
	 */
	bool some = arrange->python != arrange->native;
	bool anew = arrange->hides || some ||
		    mp_filter_has(&arrange->filter, MP_FILTER_SYMBOL);
	int err;

	mp_filter_apply(&arrange->filter, rows);
	err = some ? mp_frame_kind_keep(rows, arrange->python) :
	      arrange->trims && !arrange->native ? mp_frame_kind_trim(rows) : 0;
	return err ?: mp_callsites_choose(rows, &arrange->callsites, anew);
}

static void merge_rows(const struct mp_arrange *arrange,
		       struct mp_profile *rows)
{
	unsigned int keys = arrange->keys |
			    (arrange->top ? arrange->by_host ? MP_GROUP_HOST : MP_GROUP_CGROUP : 0);

	mp_grouping_apply(rows, keys | MP_GROUP_PID | MP_GROUP_COMM |
			  MP_GROUP_CGROUP | MP_GROUP_HOST);
	mp_profile_merge(rows);
	mp_grouping_apply(rows, keys | MP_GROUP_PID | MP_GROUP_HOST);
	mp_profile_merge(rows);
	mp_grouping_apply(rows, keys);
	mp_profile_merge(rows);
}

/*
 * Computes sums of cgroups, then adds the kernel's numbers. This order is needed: the
 * first step creates rows, and these get the kernel's numbers, too.
 */
static int add_up_cgroups(const struct mp_arrange *arrange,
			  struct mp_profile *rows, bool growth_now)
{
	/* a filter removed processes, but cgroups still have the sums of all: add up again */
	bool some = mp_filter_has(&arrange->filter, MP_FILTER_PID) ||
		    mp_filter_has(&arrange->filter, MP_FILTER_COMM) ||
		    /* a sum of recordings has processes only */
		    rows->hosts.nr;
	int err = some ? mp_rollup_processes(rows) : 0;

	err = err ?: mp_rollup_sizes(rows);
	if (!err && growth_now)
		err = mp_rollup_growth(rows);
	/*
	 * an ancestor of the targets' cgroups may have had no event: then its
	 * path is not known yet
	 */
	if (!err && arrange->recursive && arrange->name_cgroups)
		err = arrange->name_cgroups(rows);
	if (!err && arrange->recursive)
		err = mp_rollup_nested(rows, &arrange->filter);
	if (err)
		return err;
	/* the kernel's numbers are of all processes, and cannot be filtered by process */
	if (arrange->fill_cgroups && !some)
		arrange->fill_cgroups(arrange->cgroups, rows);
	mp_rollup_rest(rows);
	return 0;
}

/*
 * The collector grows while it reads the first symbols, and what shows the rows with their
 * number. That is no answer to who grows, so they are the last of those that run, as their
 * callsites are the last, and their cgroup is sorted as if they were not in it.
 */
static void put_own_last(struct mp_profile *rows)
{
	struct mp_row *row = rows->rows, *end = row + rows->nr_rows, own;

	while (row < end) {
		if (row->kind == MP_ROW_SITE ? !mp_own_is_site(rows, row) :
		    row->flags & MP_ROW_EXITED || !mp_own_is_collector(&rows->meta, row)) {
			row++;
			continue;
		}
		own = *row;
		memmove(row, row + 1, (size_t)(end - row - 1) * sizeof(*row));
		*--end = own;
	}
}

/* Moves the processes that lead to the front. There are few of them. */
static void put_leading_first(struct mp_profile *rows)
{
	struct mp_row *row, *first = rows->rows, leading;

	for (row = rows->rows; row < rows->rows + rows->nr_rows; row++) {
		if (!mp_growers_leads(rows, row))
			continue;
		leading = *row;
		memmove(first + 1, first, (size_t)(row - first) * sizeof(*row));
		*first++ = leading;
	}
}

/* Whether a process tells nothing of who grows, if there is one that leads */
static bool is_beside(const struct mp_profile *rows, const struct mp_row *row, bool has_leading)
{
	return row->kind == MP_ROW_PROCESS && !(row->flags & MP_ROW_EXITED) &&
	       !mp_row_is_sum(row) &&
	       (mp_own_is_collector(&rows->meta, row) ||
		(has_leading && (int64_t)row->value[MP_RESIDENT_DELTA] > 0 &&
		 !mp_growers_leads(rows, row)));
}

/* Adds the DELTA of such processes to that of their cgroups, or subtracts it: @sign is 1 or -1 */
static void add_beside(struct mp_profile *rows, bool has_leading, int sign)
{
	const struct mp_row *process, *end = rows->rows + rows->nr_rows;
	struct mp_row *row;

	for (process = rows->rows; process < end; process++) {
		if (!is_beside(rows, process, has_leading))
			continue;
		for (row = rows->rows; row < end; row++)
			if (row->kind == MP_ROW_CGROUP && !mp_row_is_sum(row) &&
			    row->cgroup == process->cgroup)
				row->value[MP_RESIDENT_DELTA] += (uint64_t)sign *
					process->value[MP_RESIDENT_DELTA];
	}
}

void mp_arrange_sort(struct mp_profile *rows, enum mp_row_kind kind, enum mp_metric sort)
{
	const bool grows = sort == MP_RESIDENT_DELTA;
	const bool has_leading = grows && mp_growers_next(rows, MP_GROWER_LEADING, NULL);

	if (grows && kind == MP_ROW_CGROUP)
		add_beside(rows, has_leading, -1);
	mp_profile_sort(rows, sort);
	if (grows && kind == MP_ROW_CGROUP)
		add_beside(rows, has_leading, 1);
	if ((grows && kind == MP_ROW_PROCESS) || kind == MP_ROW_SITE)
		put_own_last(rows);
	if (has_leading && kind == MP_ROW_PROCESS)
		put_leading_first(rows);
}

int mp_arrange_rows(const struct mp_arrange *arrange,
		    const struct mp_profile *profile, struct mp_profile *rows)
{
	int err = rows == profile ? 0 : mp_profile_copy(rows, profile);
	bool growth_now, runs;

	if (!err && mp_arrange_has_locations(arrange))
		err = choose_callsites(arrange, rows);
	else if (!err)
		mp_filter_apply(&arrange->filter, rows);
	if (err)
		return err;
	runs = mp_profile_runs(rows);
	growth_now = arrange->growth_now && runs;
	if (growth_now)
		err = mp_exited_give_back(rows);
	if (err)
		return err;
	merge_rows(arrange, rows);
	if (arrange->kind == MP_ROW_CGROUP && arrange->by_host)
		err = mp_hosts_add_up(rows);
	else if (arrange->kind == MP_ROW_CGROUP)
		err = add_up_cgroups(arrange, rows, growth_now);
	/* where all have ended, their rows are what was asked for */
	if (!err && arrange->folds_exited && arrange->kind == MP_ROW_PROCESS && runs)
		mp_exited_fold(rows);
	if (!err)
		mp_arrange_sort(rows, arrange->kind, arrange->sort);
	return err;
}
