/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record: make one recording, from the first event to the whole file
 */
#ifndef MP_RECORD_H
#define MP_RECORD_H

#include "launch.h"
#include "record-options.h"

struct mp_recording;

/**
 * struct mp_record - a recording that a user asked for
 * @options: whom to follow, and in what
 * @output: the file
 * @force: replace an existing file
 * @duration_s: seconds after which it ends; 0: no limit
 * @interval_s: seconds between two copies of the module's tallies; 0: only at
 *	the end
 * @ready_fd: who waits until events are recorded, see mp_ready_tell(); 0: nobody
 * @argv, @argc: our own command line, for the file
 * @launch: the command that is recorded, which waits to begin; or none
 * @source: out, that was taken
 * @nr_bytes, @nr_samples: out, what the file holds
 * @nr_lost: out, events that found the rings full
 * @recording: while it is made
 */
struct mp_record {
	struct mp_record_options options;
	const char *output;
	bool force;
	uint64_t duration_s;
	uint64_t interval_s;
	int ready_fd;
	char * const *argv;
	int argc;
	struct mp_launch launch;
	enum mp_source source;
	uint64_t nr_bytes, nr_samples, nr_lost;
	struct mp_recording *recording;
};

/** mp_record_cannot_make - fill in @diag for an @output that could not be opened */
int mp_record_cannot_make(const char *output, int err, struct mp_diag *diag);

/**
 * mp_record_check_output - check whether the file can be made, before anything begins
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_record_check_output(const char *output, bool force,
			   struct mp_diag *diag);

/**
 * mp_record_begin - begin the session and the file; the command still waits
 * @diag: also what the session cannot do
 *
 * Return: 0, and mp_record_run() follows; or a negative errno and @diag says why.
 */
int mp_record_begin(struct mp_record *record, struct mp_diag *diag);

/**
 * mp_record_run - record until the command or the targets exit, the time is over,
 * or SIGINT or SIGTERM comes
 * @signals: of mp_loop_signals()
 *
 * The command may go on afterwards: see @launch.
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_record_run(struct mp_record *record, int signals, struct mp_diag *diag);

#endif
