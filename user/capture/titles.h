/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * titles: the command lines of the targets of a recording
 */
#ifndef MP_TITLES_H
#define MP_TITLES_H

#include "id-names.h"
#include "perf-writer.h"
#include "prober.h"

/**
 * struct mp_titles - the last titles of the targets
 * @known: of each process that was looked at
 * @filter: tells which processes are targets
 * @next_ns: when they are looked at again
 * @looks: how often they were
 */
struct mp_titles {
	struct mp_id_names known;
	const struct mp_prober *filter;
	uint64_t next_ns;
	uint32_t looks;
};

/**
 * mp_titles_begin - write the titles of the targets that run
 * @titles: the caller sets @filter
 * @launched: the target is a command of ours, which has no title yet
 *
 * They are for a recording without an end. Return: 0, or a negative errno.
 */
int mp_titles_begin(struct mp_titles *titles, struct mp_perf_writer *writer, bool launched);

/**
 * mp_titles_work - look at the targets that run, if it is time
 *
 * Source: /proc/PID/cmdline.
 *
 * Return: 0, or a negative errno.
 */
int mp_titles_work(struct mp_titles *titles);

/**
 * mp_titles_end - write the last title of each target, and free all
 *
 * Return: 0, or a negative errno of writing.
 */
int mp_titles_end(struct mp_titles *titles, struct mp_perf_writer *writer);

#endif
