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
	size_t nr, max;
	bool whole;
};

/**
 * struct mp_section_flushes - those that are coming in; all zero but @take is none
 * @take: gets each flush when it is complete; 0, or an error that is handed on
 * @context: for it
 */
struct mp_section_flushes {
	int (*take)(void *context, struct mp_section_flush *flush);
	void *context;
	struct mp_section_flush *list;
	size_t nr, max;
	struct mp_map by_thread;
};

/**
 * mp_section_flushes_add - a section came, in any order within its flush
 *
 * Return: 0, -ENOMEM, or what @take returned.
 */
int mp_section_flushes_add(struct mp_section_flushes *flushes, uint32_t pid,
			   uint32_t tid, const struct memprof_section *record);

/**
 * mp_section_flushes_settle - whatever was to come has come
 * @all: and nothing more will: flushes without an end are handed on, too
 *
 * Return: 0, or what @take returned.
 */
int mp_section_flushes_settle(struct mp_section_flushes *flushes, bool all);

/** mp_section_flushes_free - free all, with what is in it */
void mp_section_flushes_free(struct mp_section_flushes *flushes);

#endif
