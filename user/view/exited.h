/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exited: shows exited processes beside those that run
 */
#ifndef MP_EXITED_H
#define MP_EXITED_H

#include "profile.h"

/**
 * mp_exited_give_back - set GROWTH of exited processes, and of their callsites, to 0
 * @profile: rows that are not merged yet: callsites are those of one process
 *
 * The end of a process gives back all that it had. Rows of cgroups count that already.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_exited_give_back(struct mp_profile *profile);

/**
 * mp_exited_fold - add up exited processes of one name, cgroup and host
 * @profile: rows of processes; their order changes
 *
 * A service with a process per session, or a script, leaves hundreds of rows that differ in
 * their numbers only. Up to three of a name stay as they are. A sum has the flows of its
 * processes, the highest of their peaks, and no level.
 */
void mp_exited_fold(struct mp_profile *profile);

#endif
