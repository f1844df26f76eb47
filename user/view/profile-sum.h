/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile-sum: adds the profiles of many machines
 */
#ifndef MP_PROFILE_SUM_H
#define MP_PROFILE_SUM_H

#include "profile.h"

#define MP_PROFILE_SUM_WHY_SIZE	200

/**
 * struct mp_profile_sum - a sum; all zero but @nr_expected means empty
 * @nr_expected: number of profiles that will be added: each has its share of the rows
 * @profile: the sum so far: processes, and stacks of callsites, with their machines
 * @nr: profiles in it
 * @nr_shared: rows of several machines
 * @nr_common: stacks of a machine that are in these, because they are small
 * @nr_folded: rows that found no room; their values are in the rows [dropped] and [table
 *	full] of their machines
 * @binaries: identities of the binaries, in the order of those of @profile
 * @cgroups: paths of the cgroups, in the order of their ids
 * @by_stack: machine, command and cgroup, and stack -> index of the row; and the rows of
 *	what was folded
 */
struct mp_profile_sum {
	size_t nr_expected;
	struct mp_profile profile;
	size_t nr;
	size_t nr_shared;
	uint64_t nr_common;
	uint64_t nr_folded;
	struct mp_names binaries;
	struct mp_names cgroups;
	struct mp_map by_stack;
};

/**
 * mp_profile_sum_add - add a profile
 * @from: as a recording has it, with stacks; its callsites get names and cgroups of their
 *	processes (mp_sites_adopt())
 * @host: name of its machine, unless it is a sum itself
 * @why: out: MP_PROFILE_SUM_WHY_SIZE bytes: why -EXDEV is returned
 *
 * Callsites are the same if their commands, their cgroups' paths and their stacks are; code
 * is the same if its build-id and offset are. Files without a build-id are different on each
 * machine. Addresses of the kernel, and those in no file, mean something on their machine
 * only: the first are left out of stacks, the latter become unknown code.
 *
 * Every flow and level of the rows is in the sum. A peak is the highest one.
 *
 * Return: 0; -EXDEV if other things were measured than in the first one; or -ENOMEM.
 */
int mp_profile_sum_add(struct mp_profile_sum *sum, struct mp_profile *from, const char *host,
		       char *why);

/** mp_profile_sum_end - add the counter of what was folded. Return: 0, or -ENOMEM */
int mp_profile_sum_end(struct mp_profile_sum *sum);

/** mp_profile_sum_free - free all memory */
void mp_profile_sum_free(struct mp_profile_sum *sum);

#endif
