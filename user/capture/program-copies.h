/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program-copies: keeps copies of the programs of a recording
 */
#ifndef MP_PROGRAM_COPIES_H
#define MP_PROGRAM_COPIES_H

#include "perf-writer.h"
#include "profile.h"

/**
 * mp_program_copies_keep - keep copies of programs that may be built again
 * @writer: a recording that is not closed yet
 *
 * Programs and libraries of the distribution are not copied: their packages have them.
 * See kept-binary.h.
 */
void mp_program_copies_keep(const struct mp_perf_writer *writer);

/** mp_program_copies_keep_of - the same for the binaries of a profile */
void mp_program_copies_keep_of(const struct mp_profile *profile);

#endif
