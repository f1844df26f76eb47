/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hosts: adds up processes to machines
 */
#ifndef MP_HOSTS_H
#define MP_HOSTS_H

#include "profile.h"

/**
 * mp_hosts_add_up - replace rows of processes and cgroups by rows of their machines
 * @profile: of one machine, or a sum of several
 *
 * A machine has a row of kind MP_ROW_CGROUP with the flag MP_ROW_HOST, whose cgroup is an id
 * with the machine's name; its callsites get that id, too. Levels are those of running
 * processes; a peak is the highest one of a process.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_hosts_add_up(struct mp_profile *profile);

#endif
