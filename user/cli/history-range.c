// SPDX-License-Identifier: GPL-2.0-only
/*
 * history-range: the difference of two snapshots of the agent
 *
 * The cost is that of two reports, whatever the length of the range.
 */
#include "history-range.h"
#include "agent-folder.h"
#include "message.h"
#include "moment.h"
#include "profile-copy.h"
#include "profile-delta.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The snapshots that a range needs, and what it leaves out. */
struct pair {
	const struct mp_history_entry *before;	/* NULL: the session's begin */
	const struct mp_history_entry *last;
	size_t nr_sessions;
};

static int parse(const char *verb, const char *name, const char *text, uint64_t *seconds)
{
	if (!text || mp_moment_parse(text, time(NULL), seconds))
		return 0;
	return mp_misuse(verb, "%s takes a time such as -2h, 10:30 or '2026-05-01 10:30', not '%s'",
			 name, text);
}

static void find_pair(const struct mp_history *history, uint64_t since, uint64_t until,
		      struct pair *pair)
{
	const struct mp_history_entry *entry;
	uint64_t session = 0;

	*pair = (struct pair){ 0 };
	for (entry = history->entries; entry < history->entries + history->nr; entry++) {
		if (entry->time_s <= since || entry->time_s > until)
			continue;
		pair->nr_sessions += !pair->last || entry->session != session;
		session = entry->session;
		pair->last = entry;
	}
	for (entry = history->entries; pair->last && entry < pair->last; entry++)
		if (entry->session == session && entry->time_s <= since)
			pair->before = entry;
}

static int nothing_there(const struct mp_history *history, const char *folder)
{
	char from[MP_MOMENT_SIZE], to[MP_MOMENT_SIZE];

	if (!history->nr)
		return mp_fail(0, "memprofctl agent writes them",
			       "there are no snapshots in %s", folder);
	return mp_fail(0, NULL, "%s has no snapshot in this range: they are from %s to %s",
		       folder, mp_moment_write(from, history->entries[0].time_s),
		       mp_moment_write(to, history->entries[history->nr - 1].time_s));
}

static void warn_of_sessions(const struct pair *pair)
{
	if (pair->nr_sessions > 1)
		mp_warn("--until shows an earlier one",
			"the range has %zu sessions: this is the last one",
			pair->nr_sessions);
}

static void say_range(const struct pair *pair)
{
	const struct mp_history_entry *before = pair->before;
	char from[MP_MOMENT_SIZE], to[MP_MOMENT_SIZE];

	fprintf(stderr, "[ memprofctl: history from %s%s to %s ]\n",
		before ? "" : "the session's start at ",
		mp_moment_write(from, before ? before->time_s : pair->last->session),
		mp_moment_write(to, pair->last->time_s));
	warn_of_sessions(pair);
}

static const char *folder_of(const struct mp_history_range *range)
{
	return range->folder ?: mp_agent_folder();
}

static int entry_path(const char *folder, const struct mp_history_entry *entry, char *path)
{
	return snprintf(path, PATH_MAX, "%s/%s", folder, entry->name) < PATH_MAX ? 0 :
	       mp_fail(ENAMETOOLONG, NULL, "cannot read %s", folder);
}

static int read_entry(const char *verb, const char *folder,
		      const struct mp_history_entry *entry, const struct mp_input *input,
		      struct mp_profile *profile, struct mp_sizes *sizes)
{
	struct mp_input one = *input;
	struct mp_diag diag = { 0 };
	char path[PATH_MAX];

	if (entry_path(folder, entry, path))
		return MP_EXIT_FAILURE;
	one.path = path;
	mp_input_read(&one, profile, sizes, &diag);
	return mp_message_diag(&diag, verb);
}

static int subtract(const struct mp_profile *before, struct mp_profile *profile)
{
	int err;

	if (before->meta.status.reset_ns != profile->meta.status.reset_ns) {
		mp_warn(NULL, "the tallies were reset in this range: it begins then");
		return 0;
	}
	err = mp_profile_since(before, profile);
	return err ? mp_fail(err, NULL, "cannot subtract two snapshots") : 0;
}

static int read_pair(const char *verb, const char *folder, const struct pair *pair,
		     const struct mp_input *input, struct mp_profile *profile,
		     struct mp_sizes *sizes)
{
	struct mp_profile before = { 0 };
	struct mp_sizes unused = { 0 };
	int status = read_entry(verb, folder, pair->last, input, profile, sizes);

	if (!status && pair->before)
		status = read_entry(verb, folder, pair->before, input, &before, &unused) ?:
			 subtract(&before, profile);
	mp_profile_free(&before);
	mp_sizes_free(&unused);
	return status;
}

/* Reads the list of snapshots, and the times of the range. */
static int open_range(const char *verb, const struct mp_history_range *range,
		      struct mp_history *history, uint64_t *since, uint64_t *until)
{
	struct mp_diag diag = { 0 };
	int status;

	*since = 0;
	*until = UINT64_MAX;
	status = parse(verb, "--since", range->since, since) ?:
		 parse(verb, "--until", range->until, until);
	if (status)
		return status;
	mp_history_read(history, folder_of(range), &diag);
	return mp_message_diag(&diag, verb);
}

int mp_history_range_read(const char *verb, const struct mp_history_range *range,
			  const struct mp_input *input, struct mp_profile *profile,
			  struct mp_sizes *sizes)
{
	const char *folder = folder_of(range);
	struct mp_history history = { 0 };
	uint64_t since, until;
	struct pair pair;
	int status = open_range(verb, range, &history, &since, &until);

	if (!status) {
		find_pair(&history, since, until, &pair);
		if (pair.last && !input->quiet)
			say_range(&pair);
		status = pair.last ? read_pair(verb, folder, &pair, input, profile, sizes) :
				     nothing_there(&history, folder);
	}
	mp_history_free(&history);
	return status;
}

int mp_history_range_ends(const char *verb, const struct mp_history_range *range,
			  char *before, char *last)
{
	const struct mp_history_entry *entry, *from = NULL, *to = NULL;
	const char *folder = folder_of(range);
	struct mp_history history = { 0 };
	uint64_t since, until;
	int status = open_range(verb, range, &history, &since, &until);

	for (entry = history.entries; !status && entry < history.entries + history.nr; entry++) {
		if (!from || entry->time_s <= since)
			from = entry;
		if (entry->time_s > since && entry->time_s <= until)
			to = entry;
	}
	if (!status && !to)
		status = nothing_there(&history, folder);
	else if (!status && from == to)
		status = mp_fail(0, NULL, "%s has only one snapshot in this range", folder);
	if (!status && from->session != to->session)
		mp_warn("--since with a time after it compares within one",
			"a session began in this range: LIVE and sums of each count from its own start, only RSS can be compared");
	if (!status)
		status = entry_path(folder, from, before) ?: entry_path(folder, to, last);
	mp_history_free(&history);
	return status;
}

/* Leaves the last session's snapshots of the range in @history. */
static void keep_session(struct mp_history *history, uint64_t since, uint64_t until,
			 const struct pair *pair)
{
	const uint64_t session = pair->last ? pair->last->session : 0;
	size_t i, nr = 0;

	for (i = 0; pair->last && i < history->nr; i++)
		if (history->entries[i].session == session &&
		    history->entries[i].time_s > since && history->entries[i].time_s <= until)
			history->entries[nr++] = history->entries[i];
	history->nr = nr;
}

int mp_history_range_walk(const char *verb, const struct mp_history_range *range,
			  const struct mp_input *input, size_t max,
			  int (*take)(void *context, uint64_t time_s,
				      struct mp_profile *profile,
				      const struct mp_sizes *sizes),
			  void *context)
{
	struct mp_history history = { 0 };
	const struct mp_history_entry *entry;
	struct mp_profile profile;
	struct mp_sizes sizes;
	uint64_t since, until;
	struct pair pair;
	size_t i, nr;
	int status = open_range(verb, range, &history, &since, &until);

	if (!status && !history.nr)
		status = nothing_there(&history, folder_of(range));
	if (!status) {
		find_pair(&history, since, until, &pair);
		keep_session(&history, since, until, &pair);
		warn_of_sessions(&pair);
	}
	nr = history.nr < max ? history.nr : max;
	for (i = 0; !status && i < nr; i++) {
		entry = &history.entries[nr == 1 ? 0 : i * (history.nr - 1) / (nr - 1)];
		profile = (struct mp_profile){ 0 };
		sizes = (struct mp_sizes){ 0 };
		if (!input->quiet)
			mp_input_progress("reading snapshot %zu of %zu", i + 1, nr);
		status = read_entry(verb, folder_of(range), entry, input, &profile, &sizes) ?:
			 take(context, entry->time_s, &profile, &sizes);
		mp_profile_free(&profile);
		mp_sizes_free(&sizes);
	}
	mp_input_progress_end();
	mp_history_free(&history);
	return status;
}

/* Leaves the last one of snapshots of one second: times cannot name the others. */
static void keep_last_of_seconds(struct mp_history *history)
{
	size_t i, nr = 0;

	for (i = 0; i < history->nr; i++) {
		nr -= nr && history->entries[nr - 1].time_s == history->entries[i].time_s;
		history->entries[nr++] = history->entries[i];
	}
	history->nr = nr;
}

/* What a step needs of the one before. */
struct step {
	const char *verb;
	const struct mp_input *input;
	struct mp_profile before;
	int (*take)(void *context, uint64_t time_s, struct mp_profile *profile,
		    const struct mp_sizes *sizes);
	void *context;
};

/* Reads a snapshot, and hands on what it has more than the one before. */
static int make_step(struct step *step, const char *folder,
		     const struct mp_history_entry *entry, bool is_first)
{
	struct mp_profile profile = { 0 }, whole = { 0 };
	struct mp_sizes sizes = { 0 };
	int status = read_entry(step->verb, folder, entry, step->input, &profile, &sizes);

	if (!status && mp_profile_copy(&whole, &profile))
		status = mp_fail(ENOMEM, NULL, "cannot read %s", folder);
	/* if the tallies were reset, they begin there: mp_history_range_read() says so */
	if (!status && !is_first && step->before.nr_rows &&
	    step->before.meta.status.reset_ns == profile.meta.status.reset_ns &&
	    mp_profile_since(&step->before, &profile))
		status = mp_fail(ENOMEM, NULL, "cannot subtract two snapshots");
	if (!status)
		status = step->take(step->context, entry->time_s, &profile, &sizes);
	mp_profile_free(&step->before);
	step->before = whole;
	mp_profile_free(&profile);
	mp_sizes_free(&sizes);
	return status;
}

static bool had_no_size(const struct mp_row *row)
{
	return row->kind != MP_ROW_PROCESS || row->flags & MP_ROW_EXITED ||
	       !row->value[MP_RESIDENT];
}

/* Leaves what processes had when the session began: RSS without DELTA. */
static void leave_base(struct mp_profile *profile)
{
	struct mp_row *row;
	uint64_t base;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		base = row->value[MP_RESIDENT] - row->value[MP_RESIDENT_DELTA];
		memset(row->value, 0, sizeof(row->value));
		row->value[MP_RESIDENT] = (int64_t)base > 0 ? base : 0;
	}
	mp_profile_drop(profile, 0, had_no_size);
}

/* Begins at the session's start, where nothing was counted, but processes ran. */
static int begin_with_base(struct step *step, const char *folder,
			   const struct mp_history_entry *first)
{
	struct mp_input processes = *step->input;
	struct mp_profile profile = { 0 };
	struct mp_sizes sizes = { 0 };
	int status;

	processes.locations = false;
	status = read_entry(step->verb, folder, first, &processes, &profile, &sizes);
	if (!status) {
		leave_base(&profile);
		status = step->take(step->context, first->session, &profile, &sizes);
	}
	mp_profile_free(&profile);
	mp_sizes_free(&sizes);
	return status;
}

int mp_history_range_steps(const char *verb, const struct mp_history_range *range,
			   const struct mp_input *input, size_t max, size_t *nr_all,
			   int (*take)(void *context, uint64_t time_s,
				       struct mp_profile *profile,
				       const struct mp_sizes *sizes),
			   void *context)
{
	struct step step = { .verb = verb, .input = input, .take = take, .context = context };
	struct mp_history history = { 0 };
	struct mp_history_entry before = { 0 };
	struct pair pair = { 0 };
	uint64_t since, until;
	size_t i, nr;
	int status = open_range(verb, range, &history, &since, &until);

	if (!status)
		find_pair(&history, since, until, &pair);
	if (!status && !pair.last)
		status = nothing_there(&history, folder_of(range));
	if (!status && pair.before)
		before = *pair.before;
	if (!status)
		keep_session(&history, since, until, &pair);
	keep_last_of_seconds(&history);
	*nr_all = history.nr;
	nr = history.nr < max - 1 ? history.nr : max - 1;
	if (!status)
		status = before.number ? make_step(&step, folder_of(range), &before, true) :
			 begin_with_base(&step, folder_of(range), &history.entries[0]);
	for (i = 0; !status && i < nr; i++) {
		if (!input->quiet)
			mp_input_progress("reading snapshot %zu of %zu", i + 1, nr);
		/* the last one is always there: the sum ends with it */
		status = make_step(&step, folder_of(range),
				   &history.entries[(i + 1) * history.nr / nr - 1], false);
	}
	mp_input_progress_end();
	mp_profile_free(&step.before);
	mp_history_free(&history);
	return status;
}

int mp_history_range_list(const char *verb, const struct mp_history_range *range,
			  struct mp_history *history)
{
	const struct mp_history_entry *end;
	struct mp_history_entry *entry, *first, *to;
	uint64_t since, until;
	int status = open_range(verb, range, history, &since, &until);

	if (status)
		return status;
	end = history->entries + history->nr;
	for (first = history->entries; first < end && first->time_s <= since; first++)
		;
	for (entry = first, to = first; entry < end && entry->time_s <= until; entry++)
		to++;
	if (first == to)
		return nothing_there(history, folder_of(range));
	history->nr = (size_t)(to - first);
	memmove(history->entries, first, history->nr * sizeof(*first));
	return 0;
}

int mp_history_range_path(const struct mp_history_range *range,
			  const struct mp_history_entry *entry, char *path)
{
	return entry_path(folder_of(range), entry, path);
}
