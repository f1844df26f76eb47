// SPDX-License-Identifier: GPL-2.0-only
/*
 * keepers-text: words for the terminal and for the page
 */
#include "keepers-text.h"
#include "human.h"
#include "location-text.h"

#include <stdio.h>
#include <string.h>

static const char *keeping(const struct mp_keepers *found)
{
	return found->is_steady ? "keeps more and more" :
	       found->keeper->value[MP_FREE_OBJECTS] ? "frees almost nothing of what it allocates" :
						       "frees nothing of what it allocates";
}

static size_t write_keeper(char *text, size_t size, const struct mp_profile *sites,
			   const struct mp_keepers *found)
{
	const struct mp_row *keeper = found->keeper, *renewer = found->renewer;
	char keeps[MP_LOCATION_TEXT_SIZE], renews[MP_LOCATION_TEXT_SIZE];
	char bytes[MP_HUMAN_SIZE], other[MP_KEEPERS_TEXT_SIZE] = "";

	mp_location_row(sites, keeper, keeps);
	if (renewer && renewer->value[found->held] >= keeper->value[found->held]) {
		mp_location_row(sites, renewer, renews);
		snprintf(other, sizeof(other), ", %.150s frees %.0f %%", renews,
			 100. * (double)renewer->value[MP_FREE_OBJECTS] /
			 (double)renewer->value[MP_ALLOC_OBJECTS]);
	}
	snprintf(text, size, "%.150s %s (%s %s)%s%s", keeps, keeping(found),
		 mp_metrics[found->held].heading,
		 mp_human_bytes(bytes, keeper->value[found->held]),
		 found->is_growing ? ", as a leak does" : "", other);
	return strlen(text);
}

static size_t write_early(char *text, size_t size, const struct mp_profile *sites,
			  const struct mp_row *process, const struct mp_keepers *found)
{
	char live[MP_HUMAN_SIZE], delta[MP_HUMAN_SIZE], held[MP_HUMAN_SIZE];
	char keeps[MP_LOCATION_TEXT_SIZE], begin[MP_KEEPERS_TEXT_SIZE] = "too early to tell a leak";

	mp_human_bytes(live, process->value[MP_INUSE_SPACE]);
	mp_human_metric(delta, MP_RESIDENT_DELTA, process->value[MP_RESIDENT_DELTA], false);
	if (found->is_notable) {
		mp_location_row(sites, found->keeper, keeps);
		snprintf(begin, sizeof(begin),
			 "%.150s may be a leak: it %s, and holds %s, about what %s grew by; too early to be sure",
			 keeps, keeping(found),
			 mp_human_bytes(held, found->keeper->value[found->held]), process->comm);
	}
	snprintf(text, size,
		 "%s: LIVE of %s is %s, but DELTA %s, so most of its blocks took the place of older ones, as those of a cache do",
		 begin, process->comm, live, delta);
	return strlen(text);
}

size_t mp_keepers_text(char *text, size_t size, const struct mp_profile *sites,
		       const struct mp_row *process, const struct mp_keepers *found)
{
	if (found->is_early)
		return write_early(text, size, sites, process, found);
	return found->is_notable ? write_keeper(text, size, sites, found) : 0;
}
