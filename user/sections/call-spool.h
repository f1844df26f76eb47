/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept: the single calls of a toplevel call, in memory that does not grow with them
 */
#ifndef MP_CALL_SPOOL_H
#define MP_CALL_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Calls in memory at most, each 16 bytes; and as many again while they are read. */
#define MP_CALL_SPOOL_WINDOW	(1UL << 16)

/**
 * struct mp_call_spool_call - one call
 * @ticks: its own
 * @node: its stack, of the flame graph
 */
struct mp_call_spool_call {
	uint64_t ticks;
	uint32_t node;
};

/**
 * struct mp_call_spool - all of them, in the order in which they began; zero is none
 * @nr: how many
 * @first: in @window; those before are in @file
 */
struct mp_call_spool {
	struct mp_call_spool_call *window;
	size_t nr, max, first;
	FILE *file;
	struct mp_call_spool_call *page;
	size_t page_first, page_nr;
};

/** mp_call_spool_add - one more. Return: 0, -ENOMEM, or an errno of a temporary file */
int mp_call_spool_add(struct mp_call_spool *spool, uint32_t node);

/** mp_call_spool_end - it is over, and took so many. Return: 0, or as above */
int mp_call_spool_end(struct mp_call_spool *spool, size_t number, uint64_t ticks);

/**
 * mp_call_spool_at - one of them; in their order it costs 10 ns
 *
 * Return: it, until the next call here; NULL where the file cannot be read, or
 * without memory.
 */
const struct mp_call_spool_call *mp_call_spool_at(struct mp_call_spool *spool, size_t number);

/** mp_call_spool_clear - forget them; the memory and the file stay */
void mp_call_spool_clear(struct mp_call_spool *spool);

/** mp_call_spool_free - free all */
void mp_call_spool_free(struct mp_call_spool *spool);

#endif
