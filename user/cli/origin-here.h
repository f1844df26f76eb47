/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * origin-here: where a session runs
 */
#ifndef MP_ORIGIN_HERE_H
#define MP_ORIGIN_HERE_H

#include "origin.h"

/** mp_origin_here - fill in this machine and its clock; a recording knows where it was made */
void mp_origin_here(struct mp_origin *origin);

#endif
