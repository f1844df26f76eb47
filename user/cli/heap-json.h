/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-json: prints the engine's state as one JSON object
 */
#ifndef MP_HEAP_JSON_H
#define MP_HEAP_JSON_H

#include "heap.h"
#include "names.h"

#include <stdio.h>

/**
 * mp_heap_json - print callsites, sums, counters and live blocks
 * @callsites: names of the heap's stacks
 *
 * Return: 0, or -ENOMEM with nothing printed.
 */
int mp_heap_json(FILE *file, const struct mp_heap *heap,
		 const struct mp_names *callsites);

#endif
