/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history-range: what happened between two times, by the agent's history
 */
#ifndef MP_HISTORY_RANGE_H
#define MP_HISTORY_RANGE_H

#include "command.h"
#include "history.h"
#include "input.h"

/**
 * struct mp_history_range - a part of a history; all zero: all of the agent's
 * @given: the user wants to see a history
 * @folder: the folder; NULL: the agent's
 * @since, @until: times as the user gave them; NULL: the begin, the end
 */
struct mp_history_range {
	bool given;
	const char *folder;
	const char *since, *until;
};

/* Entries for option tables. @member is a struct mp_history_range. */
#define MP_HISTORY_OPTIONS(type, member)					\
	{ 0, "history", NULL, NULL,						\
	  "what memprofctl agent has kept, instead of the session",		\
	  MP_FLAG(type, member.given) },					\
	{ 0, "history-folder", "FOLDER", NULL,					\
	  "the agent's folder; default that of the agent that ran last",			\
	  MP_TEXT(type, member.folder), MP_GIVEN(type, member.given), MP_RARE },	\
	{ 0, "since", "TIME", "-1h -24h",					\
	  "of the history: from then on; -2h, 10:30, or 2026-05-01 10:30",	\
	  MP_TEXT(type, member.since), MP_GIVEN(type, member.given) },		\
	{ 0, "until", "TIME", "now -1h",					\
	  "of the history: to then; default now",				\
	  MP_TEXT(type, member.until), MP_GIVEN(type, member.given), MP_RARE }

/**
 * mp_history_range_read - read the profile of a range
 * @verb: for messages
 * @input: what to read of the snapshots; its path is not used
 * @profile: out; must be zero. Flows are those between the last snapshot before the
 *	range and the last one in it; levels are those of the latter. Peaks are those since
 *	the session's begin
 * @sizes: out; must be zero; the caller frees it
 *
 * Two snapshots are read, of one session: the last one in the range. The user is told
 * which, and of other sessions in the range.
 *
 * Return: 0, or an exit status after a message.
 */
int mp_history_range_read(const char *verb, const struct mp_history_range *range,
			  const struct mp_input *input, struct mp_profile *profile,
			  struct mp_sizes *sizes);

/**
 * mp_history_range_ends - find the snapshots at the ends of a range
 * @before: out, PATH_MAX bytes: the last snapshot until the range begins, or else the
 *	first one in it
 * @last: out, PATH_MAX bytes: the last one in the range
 *
 * They may be of different sessions.
 *
 * Return: 0, or an exit status after a message.
 */
int mp_history_range_ends(const char *verb, const struct mp_history_range *range,
			  char *before, char *last);

/**
 * mp_history_range_walk - read several snapshots of a range, of one session: the last one
 * @input: what to read of them; its path is not used
 * @max: limit of the snapshots; of more, as many at even distances are read, and the last
 * @take: gets each one in the order of time, with its time in seconds of CLOCK_REALTIME;
 *	returns 0, or an exit status after a message. It may change the profile
 * @context: for @take
 *
 * Each one costs a report.
 *
 * Return: 0, or an exit status after a message.
 */
int mp_history_range_walk(const char *verb, const struct mp_history_range *range,
			  const struct mp_input *input, size_t max,
			  int (*take)(void *context, uint64_t time_s,
				      struct mp_profile *profile,
				      const struct mp_sizes *sizes),
			  void *context);

/**
 * mp_history_range_steps - read a range step by step, of one session: the last one in it
 * @input, @max, @context: as for mp_history_range_walk()
 * @nr_all: out: steps that there would be without the limit
 * @take: gets first the snapshot before the range, or an empty profile with the time of the
 *	session's begin; then the others, whose flows are those since the step before. Their
 *	sum is what mp_history_range_read() reads
 *
 * Return: 0, or an exit status after a message.
 */
int mp_history_range_steps(const char *verb, const struct mp_history_range *range,
			   const struct mp_input *input, size_t max, size_t *nr_all,
			   int (*take)(void *context, uint64_t time_s,
				       struct mp_profile *profile,
				       const struct mp_sizes *sizes),
			   void *context);

/**
 * mp_history_range_list - list the snapshots of a range, of all sessions
 * @history: out; must be zero; the caller frees it, also after an error
 *
 * Return: 0 with one snapshot at least, or an exit status after a message.
 */
int mp_history_range_list(const char *verb, const struct mp_history_range *range,
			  struct mp_history *history);

/**
 * mp_history_range_path - get the path of a snapshot
 * @path: out, PATH_MAX bytes
 *
 * Return: 0, or an exit status after a message.
 */
int mp_history_range_path(const struct mp_history_range *range,
			  const struct mp_history_entry *entry, char *path);

#endif
