// SPDX-License-Identifier: GPL-2.0-only
/*
 * judged: keeps callsites of several processes apart
 */
#include "judged.h"
#include "grouping.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

int mp_judged_arrange(struct mp_choice *choice, enum mp_metric sort,
		      const struct mp_sizes *sizes, struct mp_profile *profile,
		      struct mp_profile *judged, struct mp_split *split)
{
	const struct mp_out out = { .kind = MP_ROW_SITE, .sort = sort };
	const unsigned int keys = choice->arrange.keys;
	int err;

	choice->arrange.keys |= MP_GROUP_PID;
	err = mp_split_arrange(choice, &out, sizes, profile, judged, split);
	choice->arrange.keys = keys;
	return err;
}

int mp_judged_process(struct mp_choice *choice, uint32_t pid, enum mp_metric sort,
		      const struct mp_sizes *sizes, struct mp_profile *profile,
		      struct mp_profile *judged)
{
	const struct mp_arrange before = choice->arrange;
	char text[32], why[MP_FILTER_WHY_SIZE];
	int err;

	choice->arrange.keys = MP_GROUP_TABLE;
	choice->arrange.filter = (struct mp_filter){ 0 };
	snprintf(text, sizeof(text), "pid=%" PRIu32, pid);
	err = mp_filter_add(&choice->arrange.filter, text, why) ?
	      mp_judged_arrange(choice, sort, sizes, profile, judged, NULL) : -ENOMEM;
	mp_filter_free(&choice->arrange.filter);
	choice->arrange = before;
	return err;
}

int mp_judged_split(struct mp_choice *choice, const struct mp_row *process, enum mp_metric sort,
		    const struct mp_sizes *sizes, struct mp_profile *profile,
		    struct mp_split *split)
{
	const struct mp_row of_process = *process;
	struct mp_profile judged = { 0 };
	bool again;
	int err;

	do {
		err = mp_judged_process(choice, of_process.pid, sort, sizes, profile, &judged);
		again = !err && mp_split_leave_out(choice, &judged, &of_process, false, split);
		mp_profile_free(&judged);
	} while (again);
	return err;
}
