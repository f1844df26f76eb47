// SPDX-License-Identifier: GPL-2.0-only
/*
 * keepers-text: words for the terminal and for the page
 */
#include "keepers-text.h"
#include "human.h"
#include "location-text.h"

#include <stdio.h>
#include <string.h>

/* Bytes of new memory that are worth a name */
#define LEAST_GROWTH	(1 << 20)

static const char *keeping(const struct mp_keepers *found)
{
	return found->is_steady ? "holds more and more" :
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
	snprintf(text, size, "%.150s %s (%s %s%s)%s", keeps, keeping(found),
		 mp_metrics[found->held].heading,
		 mp_human_bytes(bytes, keeper->value[found->held]),
		 found->is_steady ? ", half of it since half of the time" : "", other);
	return strlen(text);
}

/* Which callsite made the kernel hand out most of the new memory, if it has a name */
static void write_grower(char *text, size_t size, const struct mp_profile *sites,
			 const struct mp_row *process, const struct mp_row *grower)
{
	char name[MP_LOCATION_TEXT_SIZE], part[MP_HUMAN_SIZE], all[MP_HUMAN_SIZE];

	text[0] = '\0';
	if (!grower || (int64_t)grower->value[MP_GROWTH] < LEAST_GROWTH)
		return;
	mp_location_row(sites, grower, name);
	if (!strstr(name, "+0x"))
		snprintf(text, size, "%.150s took %s of %s of new memory (GROWTH); ", name,
			 mp_human_bytes(part, grower->value[MP_GROWTH]),
			 mp_human_bytes(all, process->value[MP_GROWTH]));
}

static size_t write_early(char *text, size_t size, const struct mp_profile *sites,
			  const struct mp_row *process, const struct mp_keepers *found)
{
	char live[MP_HUMAN_SIZE], delta[MP_HUMAN_SIZE], grower[MP_KEEPERS_TEXT_SIZE];

	mp_human_bytes(live, process->value[MP_INUSE_SPACE]);
	mp_human_metric(delta, MP_RESIDENT_DELTA, process->value[MP_RESIDENT_DELTA], false);
	write_grower(grower, sizeof(grower), sites, process, found->grower);
	snprintf(text, size,
		 "%stoo early to tell a leak%s: LIVE of %s is %s, but DELTA %s, so most of its blocks took the place of older ones, as those of a cache do",
		 grower, grower[0] ? " by LIVE" : "", process->comm, live, delta);
	return strlen(text);
}

size_t mp_keepers_text(char *text, size_t size, const struct mp_profile *sites,
		       const struct mp_row *process, const struct mp_keepers *found)
{
	if (found->is_early)
		return write_early(text, size, sites, process, found);
	return found->is_notable ? write_keeper(text, size, sites, found) : 0;
}
