// SPDX-License-Identifier: GPL-2.0-only
/*
 * choice: arguments to the parts of an arrangement
 */
#include "choice.h"
#include "grouping.h"
#include "message.h"

int mp_choice_filter(const char *verb, struct mp_arrange *arrange,
		     const char *value)
{
	char why[MP_FILTER_WHY_SIZE];

	return mp_filter_add(&arrange->filter, (char *)value, why) ? 0 :
	       mp_misuse(verb, "--filter: %s", why);
}

int mp_choice_hide(const char *verb, struct mp_arrange *arrange,
		   const char *value)
{
	char why[MP_WRAPPERS_WHY_SIZE];

	arrange->hides = true;
	return mp_wrappers_add(&arrange->wrappers, value, why) ? 0 :
	       mp_misuse(verb, "--hide: %s", why);
}

int mp_choice_keys(const char *verb, struct mp_arrange *arrange,
		   const char *value)
{
	arrange->keys |= mp_grouping_find(value);
	return mp_grouping_find(value) ? 0 :
	       mp_misuse(verb,
			 "--group-by takes pid, comm, cgroup, callsite, symbol, source, binary, not '%s'",
			 value);
}

int mp_choice_metric(const char *verb, enum mp_metric *metric,
		     const char *value)
{
	int found = mp_metric_find(value);

	if (found < 0)
		return mp_misuse(verb, "no metric is called '%s'", value);
	*metric = found;
	return 0;
}

bool mp_choice_has(const struct mp_profile *profile, enum mp_metric metric)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (mp_row_has_location(&profile->rows[i]) &&
		    profile->rows[i].value[metric])
			return true;
	return false;
}

void mp_choice_progress(double done)
{
	mp_input_progress("finding symbols: %.0f %%", 100 * done);
}

void mp_choice_free(struct mp_arrange *arrange)
{
	mp_filter_free(&arrange->filter);
	mp_wrappers_free(&arrange->wrappers);
}
