/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline-table: writes the values of all targets over time
 */
#ifndef MP_TIMELINE_TABLE_H
#define MP_TIMELINE_TABLE_H

#include "profile.h"

#include <stdio.h>

/**
 * mp_timeline_table - write a line for each part of the time, with a bar
 * @nr: number of lines, at least 1; fewer if there are fewer steps
 *
 * The bars show LIVE, or RSS if no allocation was followed, or GROWTH if no RSS is known
 * either.
 *
 * Return: whether there is a value over time; else nothing is written.
 */
bool mp_timeline_table(FILE *file, const struct mp_profile *profile, size_t nr);

#endif
