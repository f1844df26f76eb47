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
 * @now: the later profile. Earlier flows are subtracted; levels and peaks stay
 *
 * Rows of exited processes that became a part of a sum are subtracted from the sum. A row
 * that is not in @before does not change. If a row's flows are lower than
 * before, its counting began again, and the row does not change, either.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_subtract(const struct mp_profile *before, struct mp_profile *now);

#endif
