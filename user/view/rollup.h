/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rollup: adds up processes to cgroups, and cgroups to their ancestors
 */
#ifndef MP_ROLLUP_H
#define MP_ROLLUP_H

#include "profile.h"

/**
 * mp_rollup_sizes - set sizes of cgroups to the sums of their running processes
 *
 * RSS and its parts are sums, so a page that processes share counts for each.
 * PSS counts it once. A cgroup with running processes gets a row if it has
 * none. Call this after mp_profile_merge().
 *
 * Return: 0, or -ENOMEM.
 */
int mp_rollup_sizes(struct mp_profile *profile);

/**
 * mp_rollup_processes - make the sums of cgroups those of the profile's processes
 *
 * For a profile without some of its processes: the sums of a source are of all of
 * them. What a process did before it came to its cgroup counts there, too. The peak of
 * a sum is the highest peak of a process. Cgroups without a process are removed. Call
 * this after mp_profile_merge().
 *
 * Return: 0, or -ENOMEM.
 */
int mp_rollup_processes(struct mp_profile *profile);

/**
 * mp_rollup_nested - add to each cgroup its descendants
 *
 * Ancestors without a row get one. The peak of a sum is the highest peak of a
 * row, or the current sum if that is higher. Callsites with a cgroup are copied
 * to its ancestors. A cgroup without a known path is not added to others. Rows
 * that are included in an ancestor's row get MP_ROW_ROLLED and are not counted
 * in totals. The kernel's numbers of a cgroup include its descendants already,
 * so they do not change.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_rollup_nested(struct mp_profile *profile);

/**
 * mp_rollup_rest - compute REST: what cgroups are charged with besides
 * processes
 *
 * Call this when CURRENT is known. A row below another row with CURRENT gets
 * MP_ROW_NESTED: totals do not count its numbers from the kernel.
 */
void mp_rollup_rest(struct mp_profile *profile);

#endif
