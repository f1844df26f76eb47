/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fate: what becomes of the blocks of a callsite
 */
#ifndef MP_FATE_H
#define MP_FATE_H

#include "profile.h"

/* Bytes of a leak that are worth a sentence */
#define MP_LEAST_LEAK	(1 << 20)

/**
 * enum mp_fate - what becomes of them
 * @MP_FATE_UNKNOWN: this cannot be told
 * @MP_FATE_STABLE: they are kept, but the callsite has stopped allocating
 * @MP_FATE_KEPT: nothing is freed, or nearly nothing
 * @MP_FATE_KEPT_STEADILY: something is freed, but what was kept for half of the time, is kept
 * @MP_FATE_RENEWED: they are freed, and others take their place
 */
enum mp_fate {
	MP_FATE_UNKNOWN,
	MP_FATE_STABLE,
	MP_FATE_KEPT,
	MP_FATE_KEPT_STEADILY,
	MP_FATE_RENEWED,
};

/**
 * struct mp_fates - the callsites of a process
 * @sites: has their rows; NULL: none
 * @process: row of the process
 * @alloc: of the recording
 * @held: what is compared: MP_INUSE_SPACE; of an exited process MP_AT_EXIT
 * @is_alone: there is no other process, and callsites without one are its own
 * @has_ages: it is known how old their blocks are
 * @is_older: the process ran before, and may have older blocks
 */
struct mp_fates {
	const struct mp_profile *sites;
	const struct mp_row *process;
	const struct mp_alloc_meta *alloc;
	enum mp_metric held;
	bool is_alone, has_ages, is_older;
};

/** mp_fates_have_ages - whether a profile has callsites with old blocks */
bool mp_fates_have_ages(const struct mp_profile *sites);

/** mp_fate_of - what becomes of the blocks of a callsite, or of a sum of stacks */
enum mp_fate mp_fate_of(const struct mp_fates *fates, const struct mp_row *row);

/** mp_fate_is_kept - whether a fate is one of the two that a leak has */
static inline bool mp_fate_is_kept(enum mp_fate fate)
{
	return fate == MP_FATE_KEPT || fate == MP_FATE_KEPT_STEADILY;
}

/**
 * mp_fate_keeps_rest - whether a callsite frees much, and has as many old blocks as young ones
 *
 * So what it does not free it keeps, though few samples tell that.
 */
bool mp_fate_keeps_rest(const struct mp_fates *fates, const struct mp_row *row);

/** mp_fates_had - whether a row is a callsite of the process that allocated something */
bool mp_fates_had(const struct mp_fates *fates, const struct mp_row *row);

/** mp_fates_have - the same, of the program that the process executed last */
bool mp_fates_have(const struct mp_fates *fates, const struct mp_row *row);

/** mp_fates_take_larger - set @largest to @row if that holds more; NULL is less than all */
static inline void mp_fates_take_larger(const struct mp_fates *fates,
					const struct mp_row **largest, const struct mp_row *row)
{
	if (!*largest || row->value[fates->held] > (*largest)->value[fates->held])
		*largest = row;
}

/** mp_fates_are_same - whether two callsites are in one function; without its name, they are not */
bool mp_fates_are_same(const struct mp_fates *fates, const struct mp_row *a,
		       const struct mp_row *b);

/** mp_fates_held - what all callsites hold that are in the function of one of them */
uint64_t mp_fates_held(const struct mp_fates *fates, const struct mp_row *site);

#endif
