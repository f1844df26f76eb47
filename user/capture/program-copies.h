/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program-copies: keeps copies of the programs of a recording
 */
#ifndef MP_PROGRAM_COPIES_H
#define MP_PROGRAM_COPIES_H

#include "perf-writer.h"
#include "profile.h"

/* Limits of what one recording copies: binaries, and bytes. */
#define MP_PROGRAM_COPIES	64
#define MP_PROGRAM_COPIES_BYTES	(256UL << 20)

/* What is copied when the recording is complete. */
struct mp_program_copies {
	struct mp_perf_build_id list[MP_PROGRAM_COPIES];
	size_t nr;
};

/**
 * mp_program_copies_note - note the programs of a recording that may be built again
 * @writer: a recording that is not closed yet
 *
 * Programs and libraries of the distribution are not copied: their packages have them.
 */
void mp_program_copies_note(struct mp_program_copies *copies,
			    const struct mp_perf_writer *writer);

/** mp_program_copies_note_of - the same for the binaries of a profile */
void mp_program_copies_note_of(struct mp_program_copies *copies,
			       const struct mp_profile *profile);

/** mp_program_copies_keep - copy them, see kept-binary.h, and free all */
void mp_program_copies_keep(struct mp_program_copies *copies);

#endif
