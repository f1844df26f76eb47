/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept: the single calls of a toplevel call, in memory that does not grow with them
 */
#ifndef MP_KEPT_H
#define MP_KEPT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Calls in memory at most, each 16 bytes; and as many again while they are read. */
#define MP_KEPT_WINDOW	(1UL << 16)

/**
 * struct mp_kept_call - one call
 * @ticks: its own
 * @node: its stack, of the flame graph
 */
struct mp_kept_call {
	uint64_t ticks;
	uint32_t node;
};

/**
 * struct mp_kept - all of them, in the order in which they began; zero is none
 * @nr: how many
 * @first: in @window; those before are in @file
 */
struct mp_kept {
	struct mp_kept_call *window;
	size_t nr, max, first;
	FILE *file;
	struct mp_kept_call *page;
	size_t page_first, page_nr;
};

/** mp_kept_add - one more. Return: 0, -ENOMEM, or an errno of a temporary file */
int mp_kept_add(struct mp_kept *kept, uint32_t node);

/** mp_kept_end - it is over, and took so many. Return: 0, or as above */
int mp_kept_end(struct mp_kept *kept, size_t number, uint64_t ticks);

/**
 * mp_kept_at - one of them; in their order it costs 10 ns
 *
 * Return: it, until the next call here; NULL where the file cannot be read, or
 * without memory.
 */
const struct mp_kept_call *mp_kept_at(struct mp_kept *kept, size_t number);

/** mp_kept_clear - forget them; the memory and the file stay */
void mp_kept_clear(struct mp_kept *kept);

/** mp_kept_free - free all */
void mp_kept_free(struct mp_kept *kept);

#endif
