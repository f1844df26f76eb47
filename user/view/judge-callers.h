/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * judge-callers: tells callers of a wrapper that keep what it allocates from those that free it
 */
#ifndef MP_JUDGE_CALLERS_H
#define MP_JUDGE_CALLERS_H

#include "fate.h"
#include "keepers.h"

/* A second leak is told if it has one part of this of the first one. */
#define MP_LEAST_OTHER	8

/* Samples of what a function holds, so that it is named as who keeps it */
#define MP_LEAST_NAMED_SAMPLES	8

/**
 * mp_callers_judge - name a caller of a wrapper instead of the wrapper
 * @found: has the keeper, if there is one that is no wrapper; it stays if it holds more
 *
 * A wrapper allocates for a leak and for a cache, and looks like neither: if one of its callers
 * keeps what another one frees, that caller is named.
 */
void mp_callers_judge(struct mp_keepers *found, const struct mp_fates *fates);

/**
 * mp_callers_most_for - find who has most of what the keeper allocates
 * @found: has a keeper, all of whose callers keep what it allocates; out: @most_for, if there
 *	are several callers. It may be some functions outwards
 */
void mp_callers_most_for(struct mp_keepers *found, const struct mp_fates *fates);

/**
 * mp_callers_beside - find a caller that keeps what a wrapper allocates, beside a larger keeper
 * @found: has a keeper; another one is only looked at if it is such a wrapper; out: @wrapped
 * @least: what it holds at least
 */
void mp_callers_beside(struct mp_keepers *found, const struct mp_fates *fates, uint64_t least);

/**
 * mp_callers_of_top - find for whom the callsite allocated that had most at the peak
 * @found: has @top; out: @most_for, the caller that had most of that, a third at least, and @is_for.
 *	It is the nearest one that is one of several, or the next one
 */
void mp_callers_of_top(struct mp_keepers *found, const struct mp_fates *fates);

/**
 * mp_callers_common - find the nearest function that calls both keepers
 * @found: has two keepers in @keeper and @other; out: @common, for which both allocate nearly
 *	all that they hold
 */
void mp_callers_common(struct mp_keepers *found, const struct mp_fates *fates);

/**
 * mp_callers_suspect - name one or two callers that may be what grows, if it is too early
 * @found: @keeper is the suspect, if there is one; it stays unless it is seen to be a wrapper
 */
void mp_callers_suspect(struct mp_keepers *found, const struct mp_fates *fates);

#endif
