// SPDX-License-Identifier: GPL-2.0-only
/*
 * keepers-text: words for the terminal and for the page
 */
#include "keepers-text.h"
#include "human.h"
#include "location-text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *keeping(const struct mp_keepers *found)
{
	return found->is_steady ? "keeps more and more" :
	       found->keeper->value[MP_FREE_OBJECTS] ? "frees almost nothing of what it allocates" :
						       "frees nothing of what it allocates";
}

/* @process: NULL if there is no other one */
static size_t write_keeper(char *text, size_t size, const struct mp_profile *sites,
			   const struct mp_row *process, const struct mp_keepers *found)
{
	const struct mp_row *keeper = found->keeper, *renewer = found->renewer;
	char keeps[MP_LOCATION_TEXT_SIZE], renews[MP_LOCATION_TEXT_SIZE];
	char bytes[MP_HUMAN_SIZE], other[MP_KEEPERS_TEXT_SIZE] = "", in[MP_COMM_SIZE + 32] = "";

	mp_location_row(sites, keeper, keeps);
	if (renewer && renewer->value[found->held] >= keeper->value[found->held]) {
		mp_location_row(sites, renewer, renews);
		snprintf(other, sizeof(other), "; %.150s frees %.0f %%", renews,
			 100. * (double)renewer->value[MP_FREE_OBJECTS] /
			 (double)renewer->value[MP_ALLOC_OBJECTS]);
	}
	if (!other[0] && found->other) {
		mp_location_row(sites, found->other, renews);
		snprintf(other, sizeof(other), "; so does %.150s (%s)", renews,
			 mp_human_bytes(bytes, found->other->value[found->held]));
	}
	if (process)
		snprintf(in, sizeof(in), " in %s (%" PRIu32 ")", process->comm, process->pid);
	snprintf(text, size, "%.150s%s %s (%s %s)%s%s", keeps, in, keeping(found),
		 mp_metrics[found->held].heading,
		 mp_human_bytes(bytes, keeper->value[found->held]),
		 found->is_growing ? ", as a leak does" : "", other);
	return strlen(text);
}

/* Whole tens of seconds, or minutes */
static void write_long(char *text, size_t size, uint64_t ns)
{
	const uint64_t s = ns / 1000000000 + 1;

	if (s <= 120)
		snprintf(text, size, "%" PRIu64 " s", (s + 9) / 10 * 10);
	else
		snprintf(text, size, "%" PRIu64 " min", s / 60 + 1);
}

/* The callsites that may leak, and what each holds */
static void write_suspects(char *text, size_t size, const struct mp_profile *sites,
			   const struct mp_keepers *found)
{
	const enum mp_metric held = found->held;
	char site[MP_LOCATION_TEXT_SIZE], bytes[MP_HUMAN_SIZE], or[MP_KEEPERS_TEXT_SIZE] = "";

	if (found->other) {
		mp_location_row(sites, found->other, site);
		snprintf(or, sizeof(or), " or %.120s (%s %s)", site, mp_metrics[held].heading,
			 mp_human_bytes(bytes, found->other->value[held]));
	}
	mp_location_row(sites, found->keeper, site);
	snprintf(text, size, "%.120s (%s %s)%s", site, mp_metrics[held].heading,
		 mp_human_bytes(bytes, found->keeper->value[held]), or);
}

static size_t write_early(char *text, size_t size, const struct mp_profile *sites,
			  const struct mp_row *process, const struct mp_keepers *found)
{
	char live[MP_HUMAN_SIZE], delta[MP_HUMAN_SIZE], who[MP_KEEPERS_TEXT_SIZE];
	char seen[MP_HUMAN_SIZE], enough[32];
	int used;

	mp_human_bytes(live, process->value[MP_INUSE_SPACE]);
	mp_human_metric(delta, MP_RESIDENT_DELTA, process->value[MP_RESIDENT_DELTA], false);
	mp_human_span(seen, found->seen_ns);
	write_long(enough, sizeof(enough), found->enough_ns);
	if (found->is_notable) {
		write_suspects(who, sizeof(who), sites, found);
		used = snprintf(text, size,
				"%s may be a leak, %s grew by %s: %s are too short to tell a leak from a cache, %s may do",
				who, process->comm, delta, seen, enough);
	} else {
		used = snprintf(text, size,
				"%s are too short to tell a leak from a cache, %s may do: LIVE of %s is %s, and it grew by %s, so most of its blocks took the place of older ones",
				seen, enough, process->comm, live, delta);
	}
	return used < (int)size ? (size_t)used : size - 1;
}

size_t mp_keepers_text(char *text, size_t size, const struct mp_profile *sites,
		       const struct mp_row *process, bool is_alone,
		       const struct mp_keepers *found)
{
	if (found->is_early)
		return write_early(text, size, sites, process, found);
	return found->is_notable ? write_keeper(text, size, sites, is_alone ? NULL : process,
						  found) : 0;
}
