// SPDX-License-Identifier: GPL-2.0-only
/*
 * keepers-text: words for the terminal and for the page
 */
#include "keepers-text.h"
#include "fate.h"
#include "handed-on.h"
#include "human.h"
#include "location-text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *keeping(const struct mp_keepers *found)
{
	return found->is_steady ? "keeps more and more" :
	       mp_keepers_row(found)->value[MP_FREE_OBJECTS] ? "frees almost nothing" :
							       "frees nothing";
}

#define SO_DOES_SIZE	220

/* Who frees more than this part does not do what one does who frees nothing. */
#define FREES_NOTHING	50

/* The part that other lines of the function hold, so that they are told */
#define OTHER_LINES	20

static void write_so_does(char *text, const struct mp_profile *sites, const struct mp_row *row,
			  enum mp_metric held)
{
	char site[MP_LOCATION_TEXT_SIZE], bytes[MP_HUMAN_SIZE];

	mp_location_row(sites, row, site);
	mp_human_bytes(bytes, row->value[held]);
	if (row->value[MP_FREE_OBJECTS] > row->value[MP_ALLOC_OBJECTS] / FREES_NOTHING)
		snprintf(text, SO_DOES_SIZE, "; so does most of %.150s (%s)", site, bytes);
	else
		snprintf(text, SO_DOES_SIZE, "; so does %.150s (%s)", site, bytes);
}

static const char *as_what(const struct mp_keepers *found)
{
	return !found->is_growing ? "" :
	       found->is_data ? ": its data, or a leak" :
	       found->may_fill ? ": a leak, or a cache that still fills" : ": most likely a leak";
}

/* A caller of a wrapper */
static size_t write_caller(char *text, size_t size, const struct mp_profile *sites,
			   const char *in, const struct mp_keepers *found)
{
	const struct mp_row *caller = &found->caller;
	char keeps[MP_LOCATION_TEXT_SIZE], wrapper[MP_LOCATION_TEXT_SIZE], bytes[MP_HUMAN_SIZE];
	char other[SO_DOES_SIZE] = "";

	mp_location_row(sites, caller, keeps);
	mp_location_row(sites, found->keeper, wrapper);
	if (found->nr_callers == 2)
		write_so_does(other, sites, &found->other_caller, found->held);
	snprintf(text, size, "%.150s%s %s of what %.150s allocates for it (%s %s)%s%s", keeps, in,
		 keeping(found), wrapper, mp_metrics[found->held].heading,
		 mp_human_bytes(bytes, caller->value[found->held]),
		 as_what(found), other);
	return strlen(text);
}

#define RECEIVER_SIZE	256

/* Who may have what a line of Python allocated */
static void write_receiver(char *text, size_t size, const struct mp_profile *sites,
			   const struct mp_keepers *found)
{
	char site[MP_LOCATION_TEXT_SIZE], bytes[MP_HUMAN_SIZE];

	if (!found->enlarger) {
		snprintf(text, size, "another line");
		return;
	}
	mp_location_row(sites, found->enlarger, site);
	snprintf(text, size, "%.150s, which has most likely enlarged a list or dict to %s", site,
		 mp_human_bytes(bytes, found->enlarger->value[found->held]));
}

#define WAY_SIZE	96

/* What shows who keeps objects that Python hands on, of a process that runs */
static void write_way(char *text, size_t size, const struct mp_row *process)
{
	if (process->flags & MP_ROW_EXITED)
		snprintf(text, size, "memprofctl help languages tells how to see that");
	else
		snprintf(text, size, "memprofctl help python | python3 -I - %" PRIu32
			 " names the lists and dicts that grow", process->pid);
}

/*
 * The line that keeps things is not the one that allocated them; @in: in which process; @way: see
 * write_way()
 */
static size_t write_enlarger(char *text, size_t size, const struct mp_profile *sites,
			     const char *in, const char *way, const struct mp_keepers *found)
{
	const struct mp_row *first = found->handed_on ?: found->keeper;
	char site[MP_LOCATION_TEXT_SIZE], maker[MP_LOCATION_TEXT_SIZE];
	char bytes[MP_HUMAN_SIZE], made[MP_HUMAN_SIZE];

	mp_location_row(sites, found->enlarger, site);
	mp_location_row(sites, first, maker);
	snprintf(text, size,
		 "%.150s%s has most likely enlarged a list or dict to %s, and may keep more and more in it, such as what %.150s allocated (LIVE %s): %s",
		 site, in, mp_human_bytes(bytes, found->enlarger->value[found->held]), maker,
		 mp_human_bytes(made, first->value[found->held]), way);
	return strlen(text);
}

static size_t write_keeper(char *text, size_t size, const struct mp_profile *sites,
			   const struct mp_row *process, bool is_alone,
			   const struct mp_keepers *found)
{
	const struct mp_row *keeper = found->keeper, *renewer = found->renewer;
	char keeps[MP_LOCATION_TEXT_SIZE], renews[MP_LOCATION_TEXT_SIZE];
	char most_for[SO_DOES_SIZE] = "", part[MP_HUMAN_SIZE];
	char bytes[MP_HUMAN_SIZE], other[MP_KEEPERS_TEXT_SIZE] = "", in[MP_COMM_SIZE + 32] = "";
	char way[WAY_SIZE];

	write_way(way, sizeof(way), process);
	if (!is_alone)
		snprintf(in, sizeof(in), " in %s (%" PRIu32 ")", process->comm, process->pid);
	if (found->nr_callers)
		return write_caller(text, size, sites, in, found);
	mp_location_row(sites, keeper, keeps);
	if (found->enlarger)
		return write_enlarger(text, size, sites, in, way, found);
	if (found->hands_on) {
		if (found->other) {
			mp_location_row(sites, found->other, renews);
			snprintf(other, sizeof(other), "; %.150s keeps %s", renews,
				 mp_human_bytes(part, found->other->value[found->held]));
		}
		if (mp_is_in_library(sites, keeper)) {
			snprintf(text, size,
				 "%s keeps %s that a library allocated in %.150s%s%s; which line keeps it is not known: %s",
				 process->comm, mp_human_bytes(bytes, keeper->value[found->held]),
				 keeps, as_what(found), other, way);
			return strlen(text);
		}
		snprintf(text, size,
			 "%.150s%s allocated %s that is kept%s%s; Python may have handed it on to another line: %s",
			 keeps, in, mp_human_bytes(bytes, keeper->value[found->held]),
			 as_what(found), other, way);
		return strlen(text);
	}
	if (found->handed_on) {
		mp_location_row(sites, found->handed_on, renews);
		snprintf(other, sizeof(other),
			 "; %.150s made %s that is kept: Python may have handed some of that on to the first",
			 renews, mp_human_bytes(part, found->handed_on->value[found->held]));
	} else if (mp_keepers_other(found)) {
		write_so_does(other, sites, mp_keepers_other(found), found->held);
		if (found->has_common) {
			mp_location_row(sites, &found->common, renews);
			snprintf(other + strlen(other), sizeof(other) - strlen(other),
				 ", both for %.150s", renews);
		}
	} else if (found->beside) {
		mp_location_row(sites, found->beside, renews);
		snprintf(other, sizeof(other),
			 "; %.150s frees %.0f %%, and keeps more and more of the rest (%s)", renews,
			 100. * (double)found->beside->value[MP_FREE_OBJECTS] /
			 (double)found->beside->value[MP_ALLOC_OBJECTS],
			 mp_human_bytes(part, found->beside->value[found->held]));
	} else if (renewer && renewer->value[found->held] >= keeper->value[found->held]) {
		mp_location_row(sites, renewer, renews);
		snprintf(other, sizeof(other), "; %.150s has more (%s), but frees %.0f %%, as a cache does",
			 renews, mp_human_bytes(part, renewer->value[found->held]),
			 100. * (double)renewer->value[MP_FREE_OBJECTS] /
			 (double)renewer->value[MP_ALLOC_OBJECTS]);
	}
	if (found->is_anothers)
		snprintf(other + strlen(other), sizeof(other) - strlen(other), ": %s", way);
	if (found->is_for) {
		mp_location_row(sites, &found->most_for, renews);
		snprintf(most_for, sizeof(most_for), ", %s of it for %.150s",
			 mp_human_bytes(part, found->most_for.value[found->held]), renews);
	} else if (found->of_function > keeper->value[found->held] +
		   keeper->value[found->held] / OTHER_LINES) {
		snprintf(most_for, sizeof(most_for), ", %s with its other lines",
			 mp_human_bytes(part, found->of_function));
	}
	snprintf(text, size, "%.150s%s %s%s (%s %s%s)%s%s", keeps, in, keeping(found),
		 found->is_steady ? "" : " of what it allocates",
		 mp_metrics[found->held].heading,
		 mp_human_bytes(bytes, keeper->value[found->held]), most_for,
		 as_what(found), other);
	return strlen(text);
}

/* Whole tens of seconds, or minutes */
static void write_long(char *text, size_t size, uint64_t ns)
{
	const uint64_t s = ns / 1000000000 + 1;

	if (s <= 120)
		snprintf(text, size, "%" PRIu64 " s", s < 15 ? 10 : (s + 4) / 10 * 10);
	else
		snprintf(text, size, "%" PRIu64 " min", s / 60 + 1);
}

/*
 * How long to look to tell a leak from a cache: who measures again takes twice the time; who
 * watches waits until 10, 20, 40 s and so on, which does not move while he does.
 */
static void write_enough(char *text, size_t size, const struct mp_keepers *found)
{
	const uint64_t seen = found->seen_ns / 1000000000;
	uint64_t s = 10;
	int used;

	while (s <= seen)
		s *= 2;
	if (found->is_watched) {
		snprintf(text, size, "look again at %" PRIu64 " s", s);
		return;
	}
	used = snprintf(text, size, "try ");
	write_long(text + used, size - (size_t)used, 2 * found->seen_ns);
}

/* @is_alone: there is no other one */
void mp_keepers_name(char *text, size_t size, const struct mp_row *process, bool is_alone)
{
	if (is_alone)
		snprintf(text, size, "%s", process->comm);
	else
		snprintf(text, size, "%s (%" PRIu32 ")", process->comm, process->pid);
}

#define SUSPECT_SIZE	180

static void write_suspect(char *text, size_t size, const struct mp_profile *sites,
			  const struct mp_row *row, enum mp_metric held)
{
	char site[MP_LOCATION_TEXT_SIZE], bytes[MP_HUMAN_SIZE];

	mp_location_row(sites, row, site);
	snprintf(text, size, "%.120s (%s %s)", site, mp_metrics[held].heading,
		 mp_human_bytes(bytes, row->value[held]));
}

/* The callsites that may leak, and what each holds */
static void write_suspects(char *text, size_t size, const struct mp_profile *sites,
			   const struct mp_keepers *found)
{
	const struct mp_row *suspects[] = {
		mp_keepers_row(found),
		found->nr_callers == 2 ? &found->other_caller : mp_keepers_other(found),
		found->nr_callers ? NULL : found->third,
	};
	char one[SUSPECT_SIZE];
	size_t i, used = 0;

	for (i = 0; i < sizeof(suspects) / sizeof(*suspects) && suspects[i] && used < size; i++) {
		write_suspect(one, sizeof(one), sites, suspects[i], found->held);
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " or " : "", one);
	}
	if (found->nr_more && used < size)
		snprintf(text + used, size - used, " or %zu more", found->nr_more);
}

/* What it means that much more lives than the process grew by */
static const char *beyond_growth(const struct mp_row *process, int64_t grown)
{
	const double live = (double)process->value[MP_INUSE_SPACE];
	const double touched = (double)process->value[MP_TOUCHED];

	if (live * 2 <= (double)grown * 3)
		return "";
	if ((double)(int64_t)process->value[MP_GROWTH] * 3 <= live * 2)
		return ", so most of its blocks replaced older ones";
	/* or what was older was given back, or swapped out */
	return touched > 0 && touched * 2 < live ?
	       ", so most of its blocks were not written to yet" : "";
}

static size_t write_early(char *text, size_t size, const struct mp_profile *sites,
			  const struct mp_row *process, bool is_alone,
			  const struct mp_keepers *found)
{
	char name[MP_COMM_SIZE + 32];
	char live[MP_HUMAN_SIZE], delta[MP_HUMAN_SIZE], who[MP_KEEPERS_TEXT_SIZE];
	char seen[MP_HUMAN_SIZE], enough[32], to[RECEIVER_SIZE], handed[RECEIVER_SIZE + 40] = "";
	char way[WAY_SIZE];
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];
	int used;

	mp_human_bytes(live, process->value[MP_INUSE_SPACE]);
	mp_human_bytes(delta, (uint64_t)(grown < 0 ? -grown : grown));
	mp_human_span(seen, found->seen_ns);
	mp_keepers_name(name, sizeof(name), process, is_alone);
	write_enough(enough, sizeof(enough), found);
	if (found->is_notable) {
		write_suspects(who, sizeof(who), sites, found);
		if (found->hands_on) {
			write_receiver(to, sizeof(to), sites, found);
			snprintf(handed, sizeof(handed), ", or Python handed it on to %s", to);
		}
		used = snprintf(text, size,
				"%s may be a leak%s: %s grew by %s, and %s are too short to tell a leak from a cache (%s)",
				who, handed, name, delta, seen, enough);
	} else {
		used = snprintf(text, size,
				"%s has LIVE %s, and %s by %s%s: %s are too short to tell a leak from a cache (%s)",
				name, live, grown < 0 ? "shrank" : "grew", delta,
				beyond_growth(process, grown), seen, enough);
	}
	if (found->is_anothers && used < (int)size) {
		write_way(way, sizeof(way), process);
		used += snprintf(text + used, size - (size_t)used, "; %s", way);
	}
	return used < (int)size ? (size_t)used : size - 1;
}

/* Nothing keeps more and more: what the process grew by, if it did */
static size_t write_rest(char *text, size_t size, const struct mp_profile *sites,
			 const struct mp_row *process, bool is_alone,
			 const struct mp_keepers *found)
{
	char name[MP_COMM_SIZE + 32];
	char site[MP_LOCATION_TEXT_SIZE], bytes[MP_HUMAN_SIZE], delta[MP_HUMAN_SIZE];
	char seen[MP_HUMAN_SIZE], enough[32];

	mp_keepers_name(name, sizeof(name), process, is_alone);
	mp_human_metric(delta, MP_RESIDENT_DELTA, process->value[MP_RESIDENT_DELTA], false);
	if (found->stopped) {
		mp_location_row(sites, found->stopped, site);
		snprintf(text, size, "%s grew by %s: %.150s has LIVE %s of it, and has stopped allocating",
			 name, delta, site,
			 mp_human_bytes(bytes, found->stopped->value[found->held]));
		return strlen(text);
	}
	mp_human_span(seen, found->seen_ns);
	if (found->is_brief) {
		write_enough(enough, sizeof(enough), found);
		snprintf(text, size, "%s %s in %s (DELTA %s): to see a slow leak, %s", name,
			 (int64_t)process->value[MP_RESIDENT_DELTA] > 0 ? MP_HARDLY_GROWN :
			 MP_NOT_GROWN, seen, delta, enough);
	} else {
		snprintf(text, size, "%s " MP_NOT_GROWING " (DELTA %s in %s)%s", name, delta, seen,
			 process->value[found->held] < MP_LEAST_LEAK ? "" :
			 ": what it allocates takes the place of what it frees");
	}
	return strlen(text);
}

/* Of what a program ended with, the part that a callsite must have to be named for it */
#define LEAST_NAMED	4

/* An error of more than this part deserves a word */
#define MOST_EXACT	20

static const char *about(const struct mp_profile *sites, const struct mp_row *process,
			 enum mp_metric metric)
{
	uint64_t sampled;
	const uint64_t distance = mp_profile_distance(sites, metric, process->value, &sampled);

	return sites->meta.alloc.rate > 1 &&
	       mp_metric_error(sampled, distance) > process->value[metric] / MOST_EXACT ?
	       "about " : "";
}

/* How a process ended; the other words follow whether something killed it */
static int write_end(char *text, size_t size, const char *name, const struct mp_row *process)
{
	return process->signal ?
	       snprintf(text, size, "%s was killed by signal %" PRIu32 " (%s) and had", name,
			process->signal, strsignal((int)process->signal)) :
	       snprintf(text, size, "%s ended with", name);
}

/* What is known of a process is not all, if it ran before. */
static const char *of_what(const struct mp_profile *sites, const struct mp_row *process)
{
	return mp_row_is_older(process, &sites->meta) ?
	       " of what it allocated since the recording began" : "";
}

static size_t write_left(char *text, size_t size, const struct mp_profile *sites,
			 const struct mp_row *process, bool is_alone,
			 const struct mp_keepers *found)
{
	char site[MP_LOCATION_TEXT_SIZE], bytes[MP_HUMAN_SIZE], all[MP_HUMAN_SIZE];
	char name[MP_COMM_SIZE + 32];
	size_t used;

	mp_keepers_name(name, sizeof(name), process, is_alone);
	used = (size_t)write_end(text, size, name, process);
	used += (size_t)snprintf(text + used, size - used, " %s%s that it had not freed%s",
				 about(sites, process, found->held), mp_human_bytes(all, found->left_space),
				 of_what(sites, process));
	if (found->left->value[found->held] < found->left_space / LEAST_NAMED) {
		snprintf(text + used, size - used, ", from many functions");
		return strlen(text);
	}
	mp_location_row(sites, found->left, site);
	snprintf(text + used, size - used, ", %s of it from %.150s",
		 mp_human_bytes(bytes, found->left->value[found->held]), site);
	return strlen(text);
}

/* Of the only process */
static size_t write_top(char *text, size_t size, const struct mp_profile *sites,
			const struct mp_row *process, const struct mp_keepers *found)
{
	const uint64_t left = found->left_space;
	char site[MP_LOCATION_TEXT_SIZE], bytes[MP_HUMAN_SIZE], all[MP_HUMAN_SIZE];
	char rest[MP_HUMAN_SIZE + 32], ended[80] = "ended", most_for[SO_DOES_SIZE] = "";
	char part[MP_HUMAN_SIZE];
	size_t used;

	if (found->is_for) {
		mp_location_row(sites, &found->most_for, site);
		if (found->most_for.value[MP_AT_PEAK] >= found->top->value[MP_AT_PEAK] / 100 * 99)
			snprintf(most_for, sizeof(most_for), " for %.150s", site);
		else
			snprintf(most_for, sizeof(most_for), ", %s of that for %.150s",
				 mp_human_bytes(part, found->most_for.value[MP_AT_PEAK]), site);
	}

	if (process->signal)
		snprintf(ended, sizeof(ended), "was killed by signal %" PRIu32 " (%.40s)",
			 process->signal, strsignal((int)process->signal));
	mp_location_row(sites, found->top, site);
	mp_human_bytes(all, left);
	/* of a few samples nobody knows how much it was */
	if (left && sites->meta.alloc.rate > 1 && left < process->value[MP_AT_PEAK] / 10 &&
	    left < MP_FEW_SAMPLES * mp_alloc_distance(&sites->meta.alloc, process->value))
		snprintf(rest, sizeof(rest), "had freed nearly all");
	else if (left)
		snprintf(rest, sizeof(rest), "had freed all but %s", all);
	else
		snprintf(rest, sizeof(rest), sites->meta.alloc.rate > 1 ?
			 "no sampled block was left" : "had freed all");
	used = (size_t)snprintf(text, size, "%s held %s%s%s at its peak, %s of it from %.150s%s, and ",
				found->is_before_exec ? found->top->comm : process->comm,
				about(sites, process, MP_AT_PEAK),
				mp_human_bytes(all, process->value[MP_AT_PEAK]),
				of_what(sites, process),
				mp_human_bytes(bytes, found->top->value[MP_AT_PEAK]), site, most_for);
	if (found->is_before_exec)
		snprintf(text + used, size - used, "then executed %s", process->comm);
	else
		snprintf(text + used, size - used, "%s when it %s", rest, ended);
	if (found->rest) {
		mp_location_row(sites, found->rest, site);
		used = strlen(text);
		snprintf(text + used, size - used, "; %s of that is from %.150s",
			 mp_human_bytes(bytes, found->rest->value[MP_AT_EXIT]), site);
	}
	return strlen(text);
}

/* Bytes of growth that tell more, and the longest time that is told to try */
#define TELLING_GROWTH	(4 << 20)
#define LONGEST_NS	600000000000ULL

static size_t write_slow(char *text, size_t size, const struct mp_row *process, bool is_alone,
			 const struct mp_keepers *found)
{
	const double times = (double)TELLING_GROWTH / (double)process->value[MP_RESIDENT_DELTA];
	const double needed_ns = (double)found->seen_ns * (times > 2 ? times : 2);
	char name[MP_COMM_SIZE + 32], delta[MP_HUMAN_SIZE], seen[MP_HUMAN_SIZE], enough[32];
	size_t used;

	mp_keepers_name(name, sizeof(name), process, is_alone);
	mp_human_bytes(delta, process->value[MP_RESIDENT_DELTA]);
	mp_human_span(seen, found->seen_ns);
	snprintf(text, size, "%s grew by %s in %s, too little to tell who keeps it",
		 name, delta, seen);
	used = strlen(text);
	if (needed_ns < (double)LONGEST_NS) {
		write_long(enough, sizeof(enough), (uint64_t)needed_ns);
		snprintf(text + used, size - used, ": try %s", enough);
	}
	return strlen(text);
}

void mp_keepers_brief(char *text, size_t size, uint64_t seen_ns, bool is_watched)
{
	char seen[MP_HUMAN_SIZE];

	snprintf(text, size, "; %s are not enough to be sure (%s 10 s)", mp_human_span(seen, seen_ns),
		 is_watched ? "look again at" : "try");
}

size_t mp_keepers_text(char *text, size_t size, const struct mp_profile *sites,
		       const struct mp_row *process, bool is_alone,
		       const struct mp_keepers *found)
{
	size_t used;

	if (found->stopped || found->is_flat)
		return write_rest(text, size, sites, process, is_alone, found);
	if (found->is_early)
		return write_early(text, size, sites, process, is_alone, found);
	if (found->left)
		return write_left(text, size, sites, process, is_alone, found);
	if (found->top)
		return write_top(text, size, sites, process, found);
	if (found->is_slow)
		return write_slow(text, size, process, is_alone, found);
	if (!found->is_notable)
		return 0;
	used = write_keeper(text, size, sites, process, is_alone, found);
	if (found->is_growing && found->is_brief)
		mp_keepers_brief(text + used, size - used, found->seen_ns, found->is_watched);
	return strlen(text);
}

bool mp_keepers_python(char *text, size_t size, const struct mp_row *process, bool is_alone,
		       uint64_t seen_ns)
{
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];
	char name[MP_COMM_SIZE + 32], delta[MP_HUMAN_SIZE], seen[MP_HUMAN_SIZE], way[WAY_SIZE];

	if (grown < MP_LEAST_LEAK || process->flags & MP_ROW_EXITED ||
	    strncmp(process->comm, "python", strlen("python")))
		return false;
	mp_keepers_name(name, sizeof(name), process, is_alone);
	write_way(way, sizeof(way), process);
	snprintf(text, size, "%s grew by %s in %s: %s", name,
		 mp_human_bytes(delta, (uint64_t)grown), mp_human_span(seen, seen_ns), way);
	return true;
}
