/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own-rows: the rows of memprof itself
 */
#ifndef MP_OWN_ROWS_H
#define MP_OWN_ROWS_H

#include "profile.h"

/** mp_own_is_collector - whether a row is the process that follows the others */
bool mp_own_is_collector(const struct mp_meta *meta, const struct mp_row *row);

/** mp_own_is_site - whether a callsite is in a process of memprof, or in its library */
bool mp_own_is_site(const struct mp_profile *rows, const struct mp_row *row);

#endif
