/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-sums: cgroups of a profile as a report shows them
 */
#ifndef MP_CGROUP_SUMS_H
#define MP_CGROUP_SUMS_H

#include "size-record.h"

/**
 * mp_cgroup_sums - add up their processes, and what the kernel says beside them
 * @profile: merged
 * @recursive: each holds those below it
 * @sizes: of a recording; NULL: the kernel is asked
 *
 * Return: 0, or -ENOMEM.
 */
int mp_cgroup_sums(struct mp_profile *profile, bool recursive,
		   const struct mp_sizes *sizes);

#endif
