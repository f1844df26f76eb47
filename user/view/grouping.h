/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grouping: what rows of callsites have in common that are to be one
 */
#ifndef MP_GROUPING_H
#define MP_GROUPING_H

#include "profile.h"

/* Keys: bits. Of those of places the first one counts. */
#define MP_GROUP_PID		(1 << 0)
#define MP_GROUP_COMM		(1 << 1)
#define MP_GROUP_CGROUP		(1 << 2)
#define MP_GROUP_CALLSITE	(1 << 3)
#define MP_GROUP_SYMBOL		(1 << 4)
#define MP_GROUP_SOURCE		(1 << 5)
#define MP_GROUP_BINARY		(1 << 6)

#define MP_GROUP_DEFAULT	(MP_GROUP_COMM | MP_GROUP_CALLSITE)

/**
 * mp_grouping_find - read a list of keys
 * @text: "KEY[,KEY]...": pid, comm, cgroup, callsite, symbol, source, binary
 *
 * Return: the bits, or 0: there is none of that name.
 */
unsigned int mp_grouping_find(const char *text);

/**
 * mp_grouping_apply - make equal what is not to tell rows apart
 *
 * The next mp_profile_merge() then makes one row of those that are equal.
 */
void mp_grouping_apply(struct mp_profile *profile, unsigned int keys);

#endif
