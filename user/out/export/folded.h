/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folded: writes call stacks for flame graphs and flame charts
 */
#ifndef MP_FOLDED_H
#define MP_FOLDED_H

#include "calls.h"
#include "stack-tree.h"

#include <stdio.h>

/* Functions with a struct mp_calls write to the FILE in mp_calls.context. */

/**
 * mp_folded_chart - write a line for each single call below a toplevel call
 *
 * Callers come before their callees.
 *
 * Return: 0, or -ENOMEM with nothing written.
 */
int mp_folded_chart(const struct mp_calls *calls, const struct mp_calls_top *top);

/**
 * mp_folded_graph - write a line per distinct stack of a run
 *
 * Lines are sorted as strcmp() sorts them.
 *
 * Return: 0, or -ENOMEM with nothing written.
 */
int mp_folded_graph(const struct mp_calls *calls);

/**
 * mp_folded_flame - write a line per stack of a flame graph
 * @value: index of the first value to write; all later values are written, too. A
 *	stack is left out if all these values are 0
 *
 * Lines are sorted as strcmp() sorts them. Names are escaped by
 * mp_folded_escape(). Values can be negative.
 *
 * Return: 0, or -ENOMEM with nothing written.
 */
int mp_folded_flame(FILE *file, const struct mp_stack_tree *flame, uint32_t value);

/**
 * mp_folded_escape - escape a function's name for folded stacks
 * @to: room for 4 * strlen(@name) + 1 bytes
 *
 * The escapes are those of mp_calls_escape(), but single spaces inside of a name are
 * kept: readers accept them, and C++ names contain many.
 */
void mp_folded_escape(char *to, const char *name);

/** mp_folded_top - write the duration of a toplevel call, as "NAME: T ticks in S s" */
int mp_folded_top(const struct mp_calls *calls, const struct mp_calls_top *top);

/** mp_folded_total - write the duration of all toplevel calls of a run */
int mp_folded_total(const struct mp_calls *calls);

#endif
