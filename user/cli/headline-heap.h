/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * headline-heap: sentences about a runtime's own heap, which is not malloc()'s
 */
#ifndef MP_HEADLINE_HEAP_H
#define MP_HEADLINE_HEAP_H

#include "writer.h"

/* Words of a sentence about such a heap */
#define MP_OWN_HEAP	"runtime's own heap"

/** mp_headline_sites - the callsites that a sentence is found from, or NULL */
static inline const struct mp_profile *mp_headline_sites(const struct mp_out *out)
{
	return out->judged ? out->judged : out->kind == MP_ROW_SITE ? out->profile : out->sites;
}

/**
 * mp_headline_heap_tool - find what shows the objects of a runtime's own heap
 * @sites: has the rows of callsites, or NULL
 * @is_alone: the process is the only one. Its name may be that of its main thread, so its
 *	functions are asked, too
 * @is_linked: out: the runtime is a part of the program, which no library can be put into
 *
 * Return: words for a user, with PID in them; NULL: no such runtime.
 */
const char *mp_headline_heap_tool(const struct mp_profile *sites, const struct mp_row *process,
				  bool is_alone, bool *is_linked);

/**
 * mp_headline_taken - bytes that a process took
 *
 * Return: what it grew by; its RSS if it began later; its highest RSS if it has ended.
 */
uint64_t mp_headline_taken(const struct mp_meta *meta, const struct mp_row *process);

/**
 * mp_headline_heap_grew - find whether a process grew by its runtime's own heap
 * @sites: has the rows of callsites, or NULL
 *
 * Return: what shows the objects in it, or NULL.
 */
const char *mp_headline_heap_grew(const struct mp_meta *meta, const struct mp_profile *sites,
				  const struct mp_row *process, bool is_alone);

/**
 * mp_headline_heap_write - write that a process grew by its runtime's own heap
 * @size: of @text
 * @tool: what shows the objects in it
 */
void mp_headline_heap_write(char *text, size_t size, const struct mp_out *out,
			    const struct mp_row *process, bool is_alone, const char *tool);

/**
 * mp_headline_heap_functions - write that functions of the runtime allocate what a process keeps
 * @sites: has the rows of callsites, or NULL
 * @process: the only one
 * @text: MP_HINT_SIZE bytes
 *
 * A hint tells how to see those of the program.
 *
 * Return: whether it was written.
 */
bool mp_headline_heap_functions(const struct mp_profile *sites, const struct mp_row *process,
				char *text);

#endif
