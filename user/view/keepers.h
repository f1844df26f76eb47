/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keepers: tells the callsites that keep what they allocate from those that renew it
 */
#ifndef MP_KEEPERS_H
#define MP_KEEPERS_H

#include "profile.h"

/* What so many samples stand for, or fewer, has an error of more than a third. */
#define MP_FEW_SAMPLES	8

/* In less time, memory that comes and goes looks like a leak. */
#define MP_BRIEF_NS	9000000000ULL

/**
 * struct mp_keepers - the callsites of a process, as far as a leak matters
 * @held: what is compared: MP_INUSE_SPACE; of an exited process MP_AT_EXIT
 * @keeper: holds the most of those that keep what they allocate, or NULL
 * @nr_callers: not 0: what @keeper allocates is kept for some of its callers, and freed for
 *	others, so it is a wrapper, and @caller keeps most. 2: @other_caller does, too, or may
 * @caller, @other_caller: as rows of callsites, with sums of all their stacks
 * @is_for: what @keeper allocates is kept for several of its callers, for @most_for most
 * @has_common: @common calls both @keeper and @other
 * @renewer: holds the most of those that free it again, or NULL
 * @other: another callsite that may be what grows, if it is too early; or another keeper, in
 *	another function, that holds at least an eighth of what @keeper does; or NULL
 * @has_wrapped: @wrapped is another keeper, too: a caller of a wrapper, which @other may be
 * @beside: another function that frees much, and keeps the rest for good, beside a @keeper that
 *	frees nothing, as a cache that fills does, and holds far more; or NULL
 * @third: if it is too early, a third one that may be what grows; or NULL
 * @nr_more: if it is too early, functions beside these that may be what grows
 * @handed_on: a line of Python that holds more than @keeper, but keeps a far smaller part of its
 *	blocks: Python may have handed them on to @keeper without its allocator; or NULL
 * @hands_on: @keeper is a line of Python that frees most of what it allocates: Python may have
 *	handed on what it seems to hold, to a line that is not known
 * @is_anothers: the blocks of @keeper, a line of Python, may be kept by another line: they may
 *	have been handed on, or it is a line of Python's library
 * @enlarger: with @is_anothers: a line that has enlarged a large list or dict lately, so it may be
 *	the one that keeps them; or NULL
 * @kept: bytes that all keepers hold
 * @of_function: bytes that keepers in the function of @keeper hold: it has several lines
 * @unsure: bytes of those that may keep them, because they have not begun to free what they
 *	allocated last
 * @stable: bytes of those that have stopped allocating: tables of the program, full caches
 * @is_steady: @keeper frees something, but what it has kept for half of the time, it keeps
 * @is_early: @unsure is much more than the process grew by. Then most of it took the place of
 *	older blocks: a cache that has freed nothing yet looks as a leak does. @keeper, and
 *	maybe @other and @third, are in functions that hold about as much as the process grew
 *	by, or NULL. It is early, too, if nothing else is notable: then they may hold less
 * @is_growing: it is not too early, and the process ran before and grew: what @keeper holds is
 *	a part of that, without @stable. Or the process began later, and @keeper goes on
 * @may_fill: @is_growing, but the process is younger than it was followed: a cache that fills
 *	for the first time grows, too
 * @is_brief: it was followed for some seconds only: memory that comes and goes looks alike
 * @stopped: if nothing else is told: a callsite that holds a part of what the process grew by,
 *	and has stopped allocating; or NULL
 * @is_data: the process is a server that keeps what it is sent
 * @left: if nothing else is told, of a process that has ended: who has most of what it did not
 *	free, if that is a good part of its peak; or NULL
 * @left_space: bytes that it had not freed, without those of programs that it was before an exec
 * @top: if nothing else is told, of the only process, that has ended and freed nearly all: who
 *	had most at the peak; or NULL
 * @is_before_exec: that was in another program, which executed the last one
 * @rest: with @top: who has most of what was not freed, if it is a good part of that; or NULL
 * @is_flat: if nothing else is told: the process has not grown
 * @is_slow: if nothing else is told: it has grown by too little to tell by whom
 * @is_watched: the caller goes on to look, as top does
 * @is_notable: what @keeper holds is worth a sentence
 * @seen_ns: how long the process was followed
 */
struct mp_keepers {
	enum mp_metric held;
	const struct mp_row *keeper, *renewer, *other, *third, *stopped, *left, *top, *handed_on;
	const struct mp_row *rest, *beside, *enlarger;
	struct mp_row caller, other_caller, wrapped, most_for, common;
	size_t nr_callers, nr_more;
	uint64_t kept, of_function, unsure, stable, seen_ns, left_space;
	bool is_steady, is_early, is_growing, is_notable, is_for, may_fill, is_brief, is_flat, is_slow;
	bool is_data, hands_on, is_anothers, is_watched, has_common;
	bool has_wrapped, is_before_exec;
};

/** mp_keepers_row - the callsite that keeps its blocks, or the caller of a wrapper; or NULL */
static inline const struct mp_row *mp_keepers_row(const struct mp_keepers *found)
{
	return found->nr_callers ? &found->caller : found->keeper;
}

/** mp_keepers_other - another callsite, or caller of a wrapper, that keeps its blocks; or NULL */
static inline const struct mp_row *mp_keepers_other(const struct mp_keepers *found)
{
	return found->has_wrapped ? &found->wrapped : found->other;
}

/**
 * mp_keepers_find - look through the callsites of a process
 * @sites: has the rows of callsites; NULL: nothing is found
 * @meta: of the recording
 * @process: row of the process
 * @is_alone: there is no other one, and callsites without a process are its own
 *
 * A dozen passes over the rows, of which three are for the callers of the largest callsite, and
 * eight to find suspects.
 */
struct mp_keepers mp_keepers_find(const struct mp_profile *sites, const struct mp_meta *meta,
				  const struct mp_row *process, bool is_alone);

#endif
