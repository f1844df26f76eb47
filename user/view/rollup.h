/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rollup: cgroups as sums of processes, and of what is below them
 */
#ifndef MP_ROLLUP_H
#define MP_ROLLUP_H

#include "profile.h"

/* Ids of cgroups that are known by their paths only have this bit. */
#define MP_CGROUP_MADE_UP	(1ULL << 63)

/**
 * mp_rollup_sizes - give cgroups the sizes of their living processes
 *
 * RSS and its parts are sums, so pages that processes share count in each; PSS
 * is a sum that counts them once. A cgroup without a row gets one where it has
 * living processes. To be called after mp_profile_merge().
 *
 * Return: 0, or -ENOMEM.
 */
int mp_rollup_sizes(struct mp_profile *profile);

/**
 * mp_rollup_nested - add to each cgroup those below it
 *
 * Ancestors without a row get one. Peaks become the highest of one of them, or what all hold
 * now if that is more.
 * Callsites that have a cgroup are copied to those above it. Cgroups whose path
 * is not known stay by themselves. Rows that an ancestor's row holds have
 * MP_ROW_ROLLED and are left out of totals. What the kernel says of a cgroup
 * holds those below it in any case, and stays.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_rollup_nested(struct mp_profile *profile);

/**
 * mp_rollup_rest - what cgroups are charged with beside their processes
 *
 * To be called when CURRENT is known. Rows below another one that has a CURRENT
 * get MP_ROW_NESTED: totals leave out what the kernel says of them.
 */
void mp_rollup_rest(struct mp_profile *profile);

#endif
