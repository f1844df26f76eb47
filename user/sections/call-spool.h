/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * call-spool: stores the calls of one toplevel call, with bounded memory
 *
 * A toplevel call is a call without a caller.
 */
#ifndef MP_CALL_SPOOL_H
#define MP_CALL_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Limit of calls in memory, 16 bytes each. The buffer for calls that are read
 * from the file has the same size.
 */
#define MP_CALL_SPOOL_WINDOW	(1UL << 16)

/**
 * struct mp_call_spool_call - one call
 * @ticks: ticks of the call, without the ticks of its callees
 * @node: node of the flame graph
 */
struct mp_call_spool_call {
	uint64_t ticks;
	uint32_t node;
};

/**
 * struct mp_call_spool - calls in the order of their begin; all zero means
 * empty
 * @window: the latest calls
 * @nr: number of calls
 * @first: number of the first call in @window; earlier ones are in @file
 * @file: temporary file; NULL: none yet
 * @page: calls that were read from @file; the first one has number @page_first
 */
struct mp_call_spool {
	struct mp_call_spool_call *window;
	size_t nr, max, first;
	FILE *file;
	struct mp_call_spool_call *page;
	size_t page_first, page_nr;
};

/** mp_call_spool_add - add a call. Return: 0, -ENOMEM, or the errno of the file */
int mp_call_spool_add(struct mp_call_spool *spool, uint32_t node);

/** mp_call_spool_end - set the ticks of a call that ended. Return: 0, or a file's errno */
int mp_call_spool_end(struct mp_call_spool *spool, size_t number, uint64_t ticks);

/**
 * mp_call_spool_at - read a call by its number
 *
 * A read costs 10 ns if calls are read in the order of their numbers.
 *
 * Return: the call, valid until the next read; NULL if memory is short or if the
 * file cannot be read.
 */
const struct mp_call_spool_call *mp_call_spool_at(struct mp_call_spool *spool, size_t number);

/** mp_call_spool_clear - remove all calls; keep the memory and the file */
void mp_call_spool_clear(struct mp_call_spool *spool);

/** mp_call_spool_free - free all memory, and close the file */
void mp_call_spool_free(struct mp_call_spool *spool);

#endif
