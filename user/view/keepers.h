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
 * @is_steady: the keeper frees much, but what it has kept for half of the time, it keeps
 * @renewer: holds the most of those that free it again, or NULL
 * @grower: has more than half of the process's GROWTH, or NULL
 * @kept: bytes that all keepers hold
 * @is_early: @kept is much more than the process grew by. Then most of it took the place of
 *	older blocks: a cache that has freed nothing yet looks as a leak does
 * @is_notable: it is not too early, and what @keeper holds matters: beside what @renewer
 *	holds, or because the process ran before, and grew by no more than a few times that
 */
struct mp_keepers {
	enum mp_metric held;
	const struct mp_row *keeper, *renewer, *grower;
	bool is_steady, is_early, is_notable;
	uint64_t kept;
};

/**
 * mp_keepers_find - look through the callsites of a process
 * @sites: has the rows of callsites; NULL: none, so that only @is_early can be found
 * @meta: of the recording
 * @process: row of the process
 * @is_alone: there is no other one, and callsites without a process are its own
 *
 * Two passes over the rows.
 */
struct mp_keepers mp_keepers_find(const struct mp_profile *sites, const struct mp_meta *meta,
				  const struct mp_row *process, bool is_alone);

#endif
