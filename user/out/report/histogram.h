/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * histogram: sizes and lifetimes of a callsite's blocks, in a few lines
 */
#ifndef MP_HISTOGRAM_H
#define MP_HISTOGRAM_H

#include "profile.h"

#include <stdio.h>

/** mp_histogram_print - a line each, empty bins left out */
void mp_histogram_print(FILE *file, const struct mp_histogram *histogram);

#endif
