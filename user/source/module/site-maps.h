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
 * If a process has executed several programs, only the mappings of the last
 * program are known, and a callsite can belong to any of the programs. So these
 * callsites keep their addresses and get no binary. If a process has executed
 * another program since the snapshot, a callsite of a program with fixed
 * addresses can get a wrong binary.
 *
 * Source: /proc/PID/maps of each process that has callsites without a binary.
 * Cost: a microsecond per line.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_site_maps_name(struct mp_profile *profile);

#endif
