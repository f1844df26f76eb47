/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * freed-list: writes whose freed blocks are still resident, and who keeps their pages
 */
#ifndef MP_FREED_LIST_H
#define MP_FREED_LIST_H

#include "profile.h"

#include <stdio.h>

/**
 * mp_freed_list - write the callsites with most bytes of freed blocks in resident pages
 * @profile: with rows of callsites and their names
 *
 * Writes nothing if no block was freed, or if freed blocks are not known.
 */
void mp_freed_list(FILE *file, const struct mp_profile *profile);

#endif
