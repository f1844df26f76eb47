/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * growers: which processes grew most, and which of them last
 */
#ifndef MP_GROWERS_H
#define MP_GROWERS_H

#include "profile.h"

/* Bytes of growth that are worth telling. */
#define MP_LEAST_GROWTH	(1 << 20)

/* Whom mp_growers_next() finds. */
enum mp_grower_kind {
	MP_GROWER_ANY,		/* each process that runs */
	MP_GROWER_LASTING,	/* those that mp_growers_last() is true of */
	MP_GROWER_BEFORE,	/* those that ran before the session, but for such commands */
	MP_GROWER_LEADING,	/* those that mp_growers_leads() is true of */
	MP_GROWER_NEW,		/* those that do not last, but for commands that come and go */
};

/** mp_growers_ran_ns - for how long a process has run; 0: not known */
uint64_t mp_growers_ran_ns(const struct mp_profile *profile, const struct mp_row *row);

/**
 * mp_growers_last - whether a process has run for long enough to be one that lasts
 *
 * That is twice the time that was seen, at most a minute: what is large at once, such as a
 * compiler, may have begun just before the session.
 */
bool mp_growers_last(const struct mp_profile *profile, const struct mp_row *row);

/**
 * mp_growers_leads - whether a process has grown, and is neither new nor one that comes and goes
 *
 * Such a one is what a person looks for, also if a compiler beside it has more DELTA.
 */
bool mp_growers_leads(const struct mp_profile *profile, const struct mp_row *row);

/**
 * mp_growers_has_risen - whether RSS is higher than it was before the session, by a good part of
 * DELTA
 */
bool mp_growers_has_risen(const struct mp_row *row);

/**
 * mp_growers_next - find the process that runs and grew most
 * @after: the one that comes next after this row; or NULL
 *
 * These are the ones for which mp_growers_has_risen() is true. If there is none, it is whoever
 * grew, but in the first seconds only if there is no other process. memprof's own process is left
 * out. Rows that grew by the same follow each other as they do in the table.
 *
 * Return: NULL if none, or no other one, grew by MP_LEAST_GROWTH.
 */
const struct mp_row *mp_growers_next(const struct mp_profile *profile, enum mp_grower_kind kind,
				     const struct mp_row *after);

#endif
