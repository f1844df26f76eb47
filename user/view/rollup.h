/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rollup: adds up processes to cgroups, and cgroups to their ancestors
 */
#ifndef MP_ROLLUP_H
#define MP_ROLLUP_H

#include "filter.h"
#include "profile.h"

/**
 * mp_rollup_sizes - set sizes of cgroups to the sums of their running processes
 *
 * RSS and its parts are sums, so a page that several processes map is counted
 * several times. PSS counts such a page once. A cgroup with running processes gets a
 * row if it has none. Call this after mp_profile_merge().
 *
 * Return: 0, or -ENOMEM.
 */
int mp_rollup_sizes(struct mp_profile *profile);

/**
 * mp_rollup_growth - set GROWTH of cgroups to the sums of their running processes
 *
 * The source counts what a process gives back when it exits, and that may be older than
 * the session: then the cgroup of a growing process has a GROWTH below 0. Return: 0, or
 * -ENOMEM.
 */
int mp_rollup_growth(struct mp_profile *profile);

/**
 * mp_rollup_processes - replace the rows of cgroups by sums of the rows of processes
 *
 * Use this when a filter has removed processes, because a source's rows of cgroups
 * include all processes. A process is counted fully in its last cgroup, even if it
 * was in another cgroup before. The peak of a sum is the highest peak of a process.
 * Cgroups without a process are removed. Call this after mp_profile_merge().
 *
 * Return: 0, or -ENOMEM.
 */
int mp_rollup_processes(struct mp_profile *profile);

/**
 * mp_rollup_nested - add the values of all descendants to each cgroup
 *
 * @filter: ancestors that do not pass get no row. Only a part of their
 *	processes has rows, but the kernel's numbers include all of them
 *
 * Ancestors without a row get a row. The peak of a sum is the highest peak of a
 * row, or the current sum if that is higher. Callsites of a cgroup are copied to its
 * ancestors. A cgroup whose path is not known is not added to any other. Rows
 * that are included in an ancestor's row get MP_ROW_ROLLED and are not counted
 * in totals. The kernel's numbers of a cgroup already include its descendants, so
 * they do not change.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_rollup_nested(struct mp_profile *profile, const struct mp_filter *filter);

/**
 * mp_rollup_rest - compute REST: memory that the kernel charges to a cgroup, without
 * the memory of its processes
 *
 * Call this when CURRENT is known. If an ancestor's row has CURRENT, a row gets
 * MP_ROW_NESTED, and totals do not include the kernel's numbers of this row.
 */
void mp_rollup_rest(struct mp_profile *profile);

#endif
