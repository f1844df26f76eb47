/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * naming: the functions that a report's callsites are in
 */
#ifndef MP_NAMING_H
#define MP_NAMING_H

#include "profile.h"

/**
 * mp_naming_sites - find names in the files of callsites
 * @limit: only the first so many of them, 0 for all
 *
 * A file that is gone, was replaced or cannot be read leaves its callsites
 * without names.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_naming_sites(struct mp_profile *profile, size_t limit);

#endif
