/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * since: what happened between two profiles of one session
 */
#ifndef MP_PROFILE_DELTA_H
#define MP_PROFILE_DELTA_H

#include "profile.h"

/**
 * mp_profile_subtract - take from each row what it had before
 * @before: an earlier profile, arranged the same way
 * @now: changed: flows lose what they were; levels and peaks stay
 *
 * A row that was not there before is as it is. One that was, and has become less,
 * began anew: it is as it is, too.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_subtract(const struct mp_profile *before, struct mp_profile *now);

#endif
