/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * near-pages.h: maps near-code.S near the code that calls it.
 */
#ifndef MEMPROF_NEAR_PAGES_H
#define MEMPROF_NEAR_PAGES_H

#include "near-code.h"

#pragma GCC visibility push(hidden)

const char *mp_near_pages_map(const void *function, const struct mp_near_data *data);

#pragma GCC visibility pop

#endif
