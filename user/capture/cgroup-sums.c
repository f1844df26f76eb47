// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup-sums: sums first, for they bring rows that the kernel is then asked of
 */
#include "cgroup-sums.h"
#include "cgroup.h"
#include "cgroup-memory.h"
#include "rollup.h"

static void join(struct mp_profile *profile, const struct mp_sizes *sizes)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_CGROUP)
			mp_sizes_join(sizes, false, profile->meta.source,
				      &profile->rows[i]);
}

int mp_cgroup_sums(struct mp_profile *profile, bool recursive,
		   const struct mp_sizes *sizes)
{
	int err = mp_rollup_sizes(profile);

	/* of those above nothing was said so far */
	if (!err && recursive && !sizes)
		err = mp_cgroup_name_all(profile);
	if (!err && recursive)
		err = mp_rollup_nested(profile);
	if (err)
		return err;
	if (sizes)
		join(profile, sizes);
	else
		mp_cgroup_memory_fill(profile);
	mp_rollup_rest(profile);
	return 0;
}
