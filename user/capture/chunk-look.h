/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chunk-look: looks into malloc of processes, not too often
 */
#ifndef MP_CHUNK_LOOK_H
#define MP_CHUNK_LOOK_H

#include "chunk-record.h"

/**
 * struct mp_chunk_look - what was seen; all zero means nothing
 * @memory: reads processes
 * @records: the last look at each; its time is that of the next one, CLOCK_MONOTONIC
 * @idle, @context: as of struct mp_chunks_walk
 */
struct mp_chunk_look {
	struct mp_process_memory memory;
	struct mp_chunk_records records;
	void (*idle)(void *context);
	void *context;
};

/**
 * mp_chunk_look_at - look into malloc of a process
 * @end_ns: time at which to stop, CLOCK_MONOTONIC
 * @chunks: out
 *
 * Source: as of mp_mappings_read(), mp_page_walk() and mp_chunks_walk().
 *
 * Return: whether the process has a heap of glibc's malloc.
 */
bool mp_chunk_look_at(struct mp_chunk_look *look, pid_t pid, uint64_t end_ns,
		      struct mp_chunks *chunks);

/**
 * mp_chunk_look_fill - set USED, FREE, TRIM and UNREAD of a process
 * @row: its HEAP is set; if that is small, nothing is done
 * @end_ns: as of mp_chunk_look_at()
 *
 * If it was looked at before, it is looked at again after 50 times what that took, 5 s
 * at most; until then, and after @end_ns, the values of that look are used, if the process
 * still runs the same program.
 */
void mp_chunk_look_fill(struct mp_chunk_look *look, struct mp_row *row, uint64_t end_ns);

/** mp_chunk_look_wants - whether the heap of a process is worth a look */
bool mp_chunk_look_wants(const struct mp_row *row);

/** mp_chunk_look_close - end the reader and forget what was seen */
void mp_chunk_look_close(struct mp_chunk_look *look);

#endif
