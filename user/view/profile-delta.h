/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile-delta: computes what happened between two profiles of one session
 */
#ifndef MP_PROFILE_DELTA_H
#define MP_PROFILE_DELTA_H

#include "profile.h"

/**
 * mp_profile_subtract - subtract the flows of an earlier profile
 * @before: an earlier profile, arranged in the same way
 * @now: the later profile. Earlier flows are subtracted; levels and peaks (AT-PEAK, too) stay;
 *	LIVE-DELTA is set
 *
 * Rows of exited processes that became a part of a sum are subtracted from the sum. A row
 * that is not in @before does not change. If a row's flows are lower than
 * before, its counting began again, and the row does not change, either.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_subtract(const struct mp_profile *before, struct mp_profile *now);

/**
 * mp_profile_since - leave what happened after an earlier profile of the same session
 * @before, @now: see mp_profile_subtract(); the time of @now begins with @before, and its
 *	rows of what had ended by then are gone
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_since(const struct mp_profile *before, struct mp_profile *now);

/**
 * mp_profile_live_delta - set LIVE-DELTA, and nothing else
 * @before, @now: see mp_profile_subtract()
 *
 * In a row that is not in @before, it is LIVE.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_live_delta(const struct mp_profile *before, struct mp_profile *now);

#endif
