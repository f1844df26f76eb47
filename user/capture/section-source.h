/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-source: flushed sections of running processes, or of a recording
 */
#ifndef MP_SECTION_SOURCE_H
#define MP_SECTION_SOURCE_H

#include "section-flushes.h"
#include "targets.h"

/**
 * struct mp_section_source - where sections come from
 * @path: of a recording; NULL: processes that run
 * @targets: whose sections; of a recording by process only
 * @follow: go on after the first flush
 * @flushes: where the sections go
 * @nr: flushes that were handed on so far
 * @ready_fd: tells a script that flushes are seen, see mp_ready_tell(); 0: none
 * @nr_lost: out, events that found the rings full
 */
struct mp_section_source {
	const char *path;
	const struct mp_targets *targets;
	bool follow;
	struct mp_section_flushes *flushes;
	const uint64_t *nr;
	int ready_fd;
	uint64_t nr_lost;
};

/**
 * mp_section_read - read a recording to its end
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_section_read(struct mp_section_source *source, struct mp_diag *diag);

/**
 * mp_section_listen - listen until the first flush, or with @follow until interrupted
 *
 * Ends also when the last target exited.
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_section_listen(struct mp_section_source *source, struct mp_diag *diag);

#endif
