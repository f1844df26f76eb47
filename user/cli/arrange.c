// SPDX-License-Identifier: GPL-2.0-only
/*
 * arrange: one step after the other
 *
 * Of callsites those of each program that ran in a process, and of each sum of
 * exited ones, are merged first, then those of each process: so one process
 * counts once wherever it is.
 */
#include "arrange.h"
#include "callsites.h"
#include "cgroup-sums.h"
#include "grouping.h"
#include "sites.h"

static bool is_wrapper(void *context, const char *name)
{
	return mp_wrappers_match(context, name);
}

static bool is_wrapper_file(void *context, const char *path)
{
	(void)context;
	return mp_wrappers_match_file(path);
}

static int name_and_choose(const struct mp_arrange *arrange,
			   struct mp_profile *profile)
{
	const struct mp_callsites callsites = {
		.is_wrapper = is_wrapper,
		.is_wrapper_file = is_wrapper_file,
		.context = (void *)&arrange->wrappers,
	};
	int err = mp_callsites_frames(profile) ?:
		  mp_symbolize_frames(profile, &arrange->symbols,
				   arrange->progress);

	if (err)
		return err;
	/* what is left of a callsite is no longer what the engine had */
	mp_filter_apply(&arrange->filter, profile);
	return mp_callsites_choose(profile, &callsites, arrange->hides ||
				   mp_filter_has(&arrange->filter,
						 MP_FILTER_SYMBOL));
}

int mp_arrange_rows(const struct mp_arrange *arrange,
		    const struct mp_out *out, const struct mp_sizes *sizes,
		    struct mp_profile *profile)
{
	bool locations = out->top || out->kind == MP_ROW_SITE ||
		      out->kind == MP_ROW_STACK;
	unsigned int keys = arrange->keys | (out->top ? MP_GROUP_CGROUP : 0);
	int err = mp_sites_adopt(profile);

	if (!err && locations)
		err = name_and_choose(arrange, profile);
	else if (!err)
		mp_filter_apply(&arrange->filter, profile);
	if (err)
		return err;
	mp_grouping_apply(profile, keys | MP_GROUP_PID | MP_GROUP_COMM |
			  MP_GROUP_CGROUP);
	mp_profile_merge(profile);
	mp_grouping_apply(profile, keys | MP_GROUP_PID);
	mp_profile_merge(profile);
	mp_grouping_apply(profile, keys);
	mp_profile_merge(profile);
	if (out->kind == MP_ROW_CGROUP)
		err = mp_cgroup_sums(profile, arrange->recursive, sizes);
	if (err)
		return err;
	mp_profile_sort(profile, out->sort);
	return 0;
}
