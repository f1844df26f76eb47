/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-flushes: flushed sections of many threads, one flush at a time
 */
#ifndef MP_SECTION_FLUSHES_H
#define MP_SECTION_FLUSHES_H

#include "map.h"

#include <linux/memprof.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct mp_section_flush - what a thread flushed
 * @records: in the order of completion
 * @whole: none is missing
 */
struct mp_section_flush {
	uint32_t pid, tid;
	struct memprof_section *records;
	size_t nr;
	bool whole;
};

struct mp_section_thread;

/**
 * struct mp_section_flushes - those that are coming in; all zero but @take is none
 * @take: gets each flush when it is complete; 0, or an error that is handed on
 * @context: for it
 * @list: threads of which something is here
 * @newest_ns: of what came
 * @limit_ns: of what had come at the last round: nothing older will come
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
 * mp_section_flushes_add - a section came
 * @time_ns: when it was flushed; what one CPU has comes in this order, but one CPU
 *	comes after the other
 *
 * Return: 0, -ENOMEM, or what @take returned.
 */
int mp_section_flushes_add(struct mp_section_flushes *flushes, uint32_t pid,
			   uint32_t tid, uint64_t time_ns,
			   const struct memprof_section *record);

/**
 * mp_section_flushes_round - all CPUs were visited
 *
 * Hands on the flushes that were over at the round before.
 *
 * Return: 0, or what @take returned.
 */
int mp_section_flushes_round(struct mp_section_flushes *flushes);

/**
 * mp_section_flushes_end - nothing more will come: hand on all
 *
 * Return: 0, or what @take returned.
 */
int mp_section_flushes_end(struct mp_section_flushes *flushes);

/** mp_section_flushes_free - free all, with what is in it */
void mp_section_flushes_free(struct mp_section_flushes *flushes);

#endif
