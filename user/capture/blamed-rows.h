/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blamed-rows: gives the rows of processes and callsites the pages that they keep
 */
#ifndef MP_BLAMED_ROWS_H
#define MP_BLAMED_ROWS_H

#include "heap.h"
#include "resident.h"

/**
 * struct mp_blamed_rows - a look at the processes of a session; see mp_blamed_begin()
 * @nr_skipped: processes with too many blocks, or for which memory or time was short
 */
struct mp_blamed_rows {
	const struct mp_heap *heap;
	struct mp_resident resident;
	uint64_t nr_skipped;
};

/**
 * mp_blamed_begin - begin to look
 * @heap: has the living blocks
 * @end_ns: time at which to stop, CLOCK_MONOTONIC
 *
 * Call mp_blamed_end() afterwards.
 */
void mp_blamed_begin(struct mp_blamed_rows *rows, const struct mp_heap *heap,
		     uint64_t end_ns);

/**
 * mp_blamed_process - set the sizes of a process's row
 *
 * Return: false if the process cannot be read, or was skipped.
 */
bool mp_blamed_process(struct mp_blamed_rows *rows, struct mp_row *row);

/**
 * mp_blamed_put - set the metrics of callsites and stacks
 * @profile: of mp_merge_profile(), the latest one of the engine, with all its rows
 *
 * Return: 0, or -ENOMEM.
 */
int mp_blamed_put(const struct mp_blamed_rows *rows, struct mp_profile *profile);

/** mp_blamed_end - free all memory */
void mp_blamed_end(struct mp_blamed_rows *rows);

#endif
