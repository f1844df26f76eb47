/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * site-maps: finds the binaries of callsites that the module did not look up
 */
#ifndef MP_SITE_MAPS_H
#define MP_SITE_MAPS_H

#include "profile.h"

/**
 * mp_site_maps_name - give callsites of running processes their binaries
 * @profile: rows of the module
 *
 * The module looks up the file of a callsite when an allocation begins there. In
 * free() it cannot: the callsite gets its row when the address space shrinks, where
 * nothing may sleep.
 *
 * If a process has executed several programs, its mappings are those of the last one,
 * and a callsite can be of any: its address stays all that is known. A process may also
 * execute another program since the snapshot; then a callsite of a program with fixed
 * addresses can get a wrong binary.
 *
 * Source: /proc/PID/maps of each process that has such callsites, a microsecond a line.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_site_maps_name(struct mp_profile *profile);

#endif
