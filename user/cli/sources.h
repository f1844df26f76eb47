/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sources: which sources of numbers work on this machine, for this user
 */
#ifndef MP_SOURCES_H
#define MP_SOURCES_H

#include "checks.h"

/*
 * The sources from the best one to the one that sees least; ends with a NULL name.
 * The level of a finding is MP_LEVEL_OK if the source works, else MP_LEVEL_MISSING.
 */
extern const struct mp_check mp_sources[];

/**
 * mp_sources_verdict - what can be done with the sources that work
 * @works: for each of mp_sources, whether it works
 * @can_start: out: `memprofctl start` works
 *
 * Return: a sentence without a full stop, or NULL if no source works that sees
 * allocations, faults or growth.
 */
const char *mp_sources_verdict(const bool *works, bool *can_start);

#endif
