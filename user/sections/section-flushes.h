/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-flushes: sorts section records of many threads into flushes
 *
 * A flush is a set of completed sections that a thread reports at once.
 */
#ifndef MP_SECTION_FLUSHES_H
#define MP_SECTION_FLUSHES_H

#include "map.h"

#include <linux/memprof.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct mp_section_flush - one flush of a thread
 * @records: the sections, in the order of completion
 * @nr: number of @records
 * @whole: no record is missing
 */
struct mp_section_flush {
	uint32_t pid, tid;
	struct memprof_section *records;
	size_t nr;
	bool whole;
};

struct mp_section_thread;

/**
 * struct mp_section_flushes - records that wait until their flush is complete
 *
 * To begin, set @take, and set all other fields to zero.
 *
 * @take: callback that receives each complete flush. Returns 0, or an error that
 *	the calling function returns
 * @context: passed to @take
 * @list: threads with records
 * @newest_ns: latest time of a record
 * @limit_ns: @newest_ns at the last round; all records up to this time have arrived
 */
struct mp_section_flushes {
	int (*take)(void *context, struct mp_section_flush *flush);
	void *context;
	struct mp_section_thread *list;
	size_t nr, max;
	struct mp_map by_thread;
	uint64_t newest_ns, limit_ns;
};

/**
 * mp_section_flushes_add - add a section
 * @time_ns: time of the flush. The records of one CPU must be added in the order of
 *	this time; the CPUs one after the other
 *
 * Return: 0, -ENOMEM, or the error of @take.
 */
int mp_section_flushes_add(struct mp_section_flushes *flushes, uint32_t pid,
			   uint32_t tid, uint64_t time_ns,
			   const struct memprof_section *record);

/**
 * mp_section_flushes_round - end a round: the records of all CPUs were added
 *
 * Calls @take for the flushes that were complete at the previous round.
 *
 * Return: 0, -ENOMEM, or the error of @take.
 */
int mp_section_flushes_round(struct mp_section_flushes *flushes);

/**
 * mp_section_flushes_end - no more sections will come: call @take for all flushes
 *
 * Return: 0, -ENOMEM, or the error of @take.
 */
int mp_section_flushes_end(struct mp_section_flushes *flushes);

/** mp_section_flushes_free - free all memory, and drop the records that wait */
void mp_section_flushes_free(struct mp_section_flushes *flushes);

#endif
