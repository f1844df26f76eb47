/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folded: call stacks as flame graphs and flame charts want them
 */
#ifndef MP_FOLDED_H
#define MP_FOLDED_H

#include "calls.h"
#include "flame.h"

#include <stdio.h>

/**
 * mp_folded_chart - a line per call of a toplevel call, callers first
 *
 * Return: 0, or -ENOMEM with nothing printed.
 */
int mp_folded_chart(FILE *file, const struct mp_calls *calls,
		    const struct mp_calls_top *top);

/**
 * mp_folded_graph - a line per distinct stack of a run, by its bytes
 *
 * Return: 0, or -ENOMEM with nothing printed.
 */
int mp_folded_graph(FILE *file, const struct mp_calls *calls);

/**
 * mp_folded_flame - a line per stack of a flame graph that has some of a value, by
 * name, with that value and those behind it
 *
 * Names are as mp_folded_escape() makes them. Values below 0 come out as they are.
 *
 * Return: 0, or -ENOMEM with nothing printed.
 */
int mp_folded_flame(FILE *file, const struct mp_flame *flame, uint32_t value);

/**
 * mp_folded_escape - a name as it stands in folded stacks of functions
 * @to: room for 4 * strlen(@name) + 1 bytes
 *
 * As mp_calls_escape() does, but for single blanks inside, which readers take and C++
 * is full of.
 */
void mp_folded_escape(char *to, const char *name);

/** mp_folded_top - what a toplevel call took: NAME: T ticks in S s */
void mp_folded_top(FILE *file, const struct mp_calls *calls,
		   const struct mp_calls_top *top);

/** mp_folded_total - what the toplevel calls of a run took */
void mp_folded_total(FILE *file, const struct mp_calls *calls);

#endif
