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

int mp_judged_process(uint32_t pid, enum mp_metric sort, const struct mp_sizes *sizes,
		      struct mp_profile *profile, struct mp_profile *judged)
{
	struct mp_choice choice = { .arrange.keys = MP_GROUP_TABLE, .quiet = true };
	char text[32], why[MP_FILTER_WHY_SIZE];
	int err;

	snprintf(text, sizeof(text), "pid=%" PRIu32, pid);
	err = mp_filter_add(&choice.arrange.filter, text, why) ?
	      mp_judged_arrange(&choice, sort, sizes, profile, judged, NULL) : -ENOMEM;
	mp_choice_free(&choice);
	return err;
}
