/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-source: gets flushed sections from running processes or from a
 * recording
 */
#ifndef MP_SECTION_SOURCE_H
#define MP_SECTION_SOURCE_H

#include "section-flushes.h"
#include "targets.h"

/**
 * struct mp_section_source - source and filter of sections
 * @path: path of a recording; NULL: use running processes
 * @targets: processes whose sections are wanted; for a recording only process
 *	ids
 * @follow: continue after the first flush
 * @flushes: gets the sections
 * @nr: number of flushes passed on so far
 * @ready_fd: descriptor to notify when listening has begun, see
 *	mp_ready_tell(); 0: none
 * @nr_lost: out, events that were lost because a ring was full
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
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_section_read(struct mp_section_source *source, struct mp_diag *diag);

/**
 * mp_section_listen - listen until the first flush, or with @follow until
 * interrupted
 *
 * It also ends when the last target exited.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_section_listen(struct mp_section_source *source, struct mp_diag *diag);

#endif
