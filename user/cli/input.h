/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input: a profile for a report, of the running session or of a recording
 */
#ifndef MP_INPUT_H
#define MP_INPUT_H

#include "diag.h"
#include "profile.h"
#include "size-record.h"
#include "wrappers.h"

/**
 * struct mp_input - where from
 * @path: of a recording; NULL: the session that runs
 * @locations: callsites and stacks are asked for
 * @bins: and their histograms
 * @wrappers: what no callsite is
 * @quiet: tell no progress
 */
struct mp_input {
	const char *path;
	bool locations;
	bool bins;
	const struct mp_wrappers *wrappers;
	bool quiet;
};

/**
 * mp_input_read - get it
 * @profile: out; all zero when called
 * @sizes: out, of a recording, to be freed; all zero when called
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_input_read(const struct mp_input *input, struct mp_profile *profile,
		  struct mp_sizes *sizes, struct mp_diag *diag);

/**
 * mp_input_progress - say on a terminal what is done, if it takes long
 *
 * Nothing is said in the first two seconds after the first mp_input_read(), and
 * then ten times a second at most.
 */
void mp_input_progress(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/** mp_input_progress_end - wipe it away */
void mp_input_progress_end(void);

#endif
