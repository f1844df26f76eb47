/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * histogram: writes histograms of the sizes and lifetimes of a callsite's blocks
 */
#ifndef MP_HISTOGRAM_H
#define MP_HISTOGRAM_H

#include "profile.h"

#include <stdio.h>

/**
 * mp_histogram_print() - write a line of sizes and a line of lifetimes
 *
 * Empty bins are left out, and a line without any.
 */
void mp_histogram_print(FILE *file, const struct mp_histogram *histogram);

#endif
