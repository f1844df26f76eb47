/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exited: makes one row of the exited processes of one name
 */
#ifndef MP_EXITED_H
#define MP_EXITED_H

#include "profile.h"

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
