/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keepers: tells the callsites that keep what they allocate from those that renew it
 */
#ifndef MP_KEEPERS_H
#define MP_KEEPERS_H

#include "profile.h"

/**
 * struct mp_keepers - the callsites of a process, as far as a leak matters
 * @held: what is compared: MP_INUSE_SPACE; of an exited process MP_AT_EXIT
 * @keeper: holds the most of those that keep what they allocate, or NULL
 * @renewer: holds the most of those that free it again, or NULL
 * @other: another callsite that may be what grows, if it is too early; or another keeper, in
 *	another function, that holds at least half of what @keeper does; or NULL
 * @kept: bytes that all keepers hold
 * @unsure: bytes of those that may keep them, because they have not begun to free what they
 *	allocated last
 * @is_steady: @keeper frees something, but what it has kept for half of the time, it keeps
 * @is_early: @unsure is much more than the process grew by. Then most of it took the place of
 *	older blocks: a cache that has freed nothing yet looks as a leak does. @keeper, and
 *	maybe @other, is in a function that holds about as much as the process grew by, or NULL
 * @is_growing: it is not too early, and the process ran before and grew: what @keeper holds is
 *	a part of that
 * @is_notable: what @keeper holds is worth a sentence
 * @seen_ns: how long the process was followed
 * @enough_ns: how long it should be until a cache is told from a leak, as far as its blocks
 *	have been replaced until now
 */
struct mp_keepers {
	enum mp_metric held;
	const struct mp_row *keeper, *renewer, *other;
	uint64_t kept, unsure, seen_ns, enough_ns;
	bool is_steady, is_early, is_growing, is_notable;
};

/**
 * mp_keepers_find - look through the callsites of a process
 * @sites: has the rows of callsites; NULL: none, so that only @is_early can be found
 * @meta: of the recording
 * @process: row of the process
 * @is_alone: there is no other one, and callsites without a process are its own
 *
 * A pass over the rows; and one for each that may explain the growth of the process, if it is
 * too early.
 */
struct mp_keepers mp_keepers_find(const struct mp_profile *sites, const struct mp_meta *meta,
				  const struct mp_row *process, bool is_alone);

#endif
