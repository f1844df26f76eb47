/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runtimes: finds out why the callsites of a report name no function of a program
 */
#ifndef MP_RUNTIMES_H
#define MP_RUNTIMES_H

#include "profile.h"

/**
 * struct mp_obscurity - what hides the functions of a program
 * @runtime: its name for a person, such as "node"; NULL if it is not a runtime
 * @remedy: how to see the functions of a program that it runs; NULL with @runtime
 * @heap: what shows the objects of its own heap, as a sentence; NULL if it has none
 * @data: what most of the metric is, and what shows whose that is, for a sentence with PID; or NULL
 * @binary: a file without symbols; NULL if it is a runtime
 * @probed: another tracer's probe on the return of a function hides who called it
 * @is_linked: the runtime is linked into each program, so the program's functions are known
 * @is_small: the metric has only a small part of the memory that was touched
 * @percent: share of the metric, 0 to 100
 */
struct mp_obscurity {
	const char *runtime;
	const char *remedy;
	const char *heap;
	const char *data;
	const struct mp_binary *binary;
	bool probed;
	bool is_linked, is_small;
	double percent;
};

/**
 * mp_runtimes_obscure - find what hides the functions of a program
 * @profile: rows of callsites, with symbols
 * @metric: what is shown, a metric that adds up
 * @found: out: what hides the largest share: at least a third of the metric, or, if
 *	it is a file without symbols, a fifth
 *
 * Return: whether there is such a thing.
 */
bool mp_runtimes_obscure(const struct mp_profile *profile, enum mp_metric metric,
			 struct mp_obscurity *found);

/**
 * mp_runtimes_is_own - whether a callsite is a runtime's function, not the program's
 * @profile: has the row, with symbols
 */
bool mp_runtimes_is_own(const struct mp_profile *profile, const struct mp_row *row);

/**
 * mp_runtimes_next - list the runtimes whose functions have names only if something is done
 * @number: from 0 on
 * @found: out: name, remedy and heap
 *
 * Return: whether there is one of that number.
 */
bool mp_runtimes_next(size_t number, struct mp_obscurity *found);

/** mp_runtimes_has_file - whether a file is a runtime, by its name */
bool mp_runtimes_has_file(const struct mp_binary *binary);

/**
 * mp_runtimes_heap - what shows the objects of a process whose heap is not malloc()'s
 * @command: name of the process
 * @ended: what shows those of the next one
 *
 * Return: a sentence in which PID is the id of the process, or NULL.
 */
const char *mp_runtimes_heap(const char *command, bool ended);

#endif
