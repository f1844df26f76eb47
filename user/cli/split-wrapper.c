// SPDX-License-Identifier: GPL-2.0-only
/*
 * split-wrapper: makes an expression of a name, as a user of --hide would
 */
#include "split-wrapper.h"
#include "keepers.h"
#include "short-name.h"
#include "sites.h"

#include <stdio.h>
#include <string.h>

#define MAX_NAME	1024

/* Writes a regular expression that matches a name alone. Returns false if it is too long. */
static bool write_regex(char *regex, size_t size, const char *name)
{
	size_t used = 0;

	regex[used++] = '^';
	for (; *name && used + 4 < size; name++) {
		if (strchr(".[]{}()\\*+?|^$", *name))
			regex[used++] = '\\';
		regex[used++] = *name;
	}
	regex[used++] = '$';
	regex[used] = '\0';
	return !*name;
}

static void take(struct mp_split *split, const struct mp_profile *sites,
		 const struct mp_row *process, bool is_alone,
		 const struct mp_keepers *found, const char *function)
{
	const size_t used = strlen(split->names);
	char name[MP_COMM_SIZE];

	mp_short_name(name, sizeof(name) - 1, function);
	snprintf(split->names + used, sizeof(split->names) - used, "%s%s", used ? ", " : "", name);
	/* later ones are asked about rows that have lost the first one */
	if (!split->nr) {
		mp_keepers_text(split->sentence, sizeof(split->sentence), sites, process,
				is_alone, found);
		mp_location_row(sites, mp_keepers_row(found), split->keeper);
		split->pid = is_alone ? 0 : process->pid;
	}
	split->nr++;
}

bool mp_split_leave_out(struct mp_choice *choice, const struct mp_profile *sites,
			const struct mp_row *process, bool is_alone, struct mp_split *split)
{
	char regex[2 * MAX_NAME], why[MP_WRAPPERS_WHY_SIZE];
	const struct mp_line *line;
	struct mp_keepers found;
	const char *function;

	if (!process || split->nr == MP_MAX_SPLIT)
		return false;
	found = mp_keepers_find(sites, &sites->meta, process, is_alone);
	line = found.is_notable && found.nr_callers && found.keeper ?
	       mp_profile_line(sites, &found.keeper->location) : NULL;
	function = line ? mp_symbols_text(&sites->symbols, line->function) : NULL;
	if (!function || !write_regex(regex, sizeof(regex), function) ||
	    !mp_wrappers_add(&choice->wrappers, regex, why))
		return false;
	choice->arrange.hides = true;
	take(split, sites, process, is_alone, &found, function);
	return true;
}

int mp_split_arrange(struct mp_choice *choice, const struct mp_out *out,
		     const struct mp_sizes *sizes, struct mp_profile *profile,
		     struct mp_profile *sites, struct mp_split *split)
{
	const bool splits = split && !choice->arrange.hides;
	int err;

	for (;;) {
		err = mp_choice_rows(choice, out, sizes, profile, sites);
		if (err || !splits ||
		    !mp_split_leave_out(choice, sites, mp_profile_only_process(profile), true,
					split))
			return err;
		mp_profile_free(sites);
	}
}
