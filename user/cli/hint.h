/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hint: tells how a report could name functions that it does not name
 */
#ifndef MP_HINT_H
#define MP_HINT_H

#include "metric.h"

#include <stdbool.h>
#include <stddef.h>

struct mp_profile;

#define MP_HINT_SIZE	512

/**
 * mp_hint_write - write what hides functions of the program, and what to do
 * @profile: rows of callsites, with symbols
 * @metric: the metric that the rows are sorted by
 * @text: the hint, printable; MP_HINT_SIZE bytes
 *
 * If a binary without symbols hides them, this asks the system's package manager which
 * package it is from, for two seconds at most.
 *
 * Return: whether there is something to tell.
 */
bool mp_hint_write(const struct mp_profile *profile, enum mp_metric metric, char *text);

#endif
