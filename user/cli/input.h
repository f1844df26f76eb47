/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input: gets the profile of the running session or of a recording
 */
#ifndef MP_INPUT_H
#define MP_INPUT_H

#include "cold.h"
#include "diag.h"
#include "profile.h"
#include "size-record.h"
#include "wrappers.h"

/**
 * struct mp_input - the source of a profile
 * @path: path of a recording; NULL: the running session
 * @locations: also read callsites and stacks
 * @bins: also read histograms of callsites
 * @timeline: also read who had how much over time
 * @at_ns: of a recording, what there was at this time after its begin; 0: at its end
 * @wants_pages: if a recording knows no pages at its end, and @at_ns is 0, show it as it was when
 *	it looked at pages last
 * @wrappers: functions that are no callsites
 * @cold: ages of pages of processes that run, sorted; NULL: there is no COLD
 * @quiet: show no progress
 */
struct mp_input {
	const char *path;
	bool locations;
	bool bins;
	bool timeline;
	uint64_t at_ns;
	bool wants_pages;
	const struct mp_wrappers *wrappers;
	const struct mp_cold *cold;
	bool quiet;
};

/* What record writes if no other file is named. */
#define MP_INPUT_DEFAULT	"memprof.data"

/**
 * mp_input_default - find what to read if the user named nothing
 *
 * The newest counts: a session that runs, by its begin, the recording MP_INPUT_DEFAULT, or
 * what the last session left when it was stopped. The user is told.
 * @live: the session that runs, even if the recording is newer
 *
 * Return: NULL for the session, or the file, valid until the next call.
 */
const char *mp_input_default(bool live);

/**
 * mp_input_read - read a profile
 * @profile: out; must be zero
 * @sizes: out; sizes of a recording; must be zero; the caller frees it
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_input_read(const struct mp_input *input, struct mp_profile *profile,
		  struct mp_sizes *sizes, struct mp_diag *diag);

/**
 * mp_input_is_recording - whether a file is a recording, which a new one may move to FILE.old
 *
 * Other files are left alone.
 */
bool mp_input_is_recording(const char *path);

/**
 * mp_input_progress - show progress on a terminal, if the work takes long
 *
 * Nothing is shown in the first two seconds after the first mp_input_read().
 * Afterwards the progress is updated at most ten times a second.
 */
void mp_input_progress(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/** mp_input_progress_end - erase the progress line */
void mp_input_progress_end(void);

#endif
