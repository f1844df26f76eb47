/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record: makes one recording, from the first event to the complete file
 */
#ifndef MP_RECORD_H
#define MP_RECORD_H

#include "launch.h"
#include "record-options.h"

struct mp_recording;

/**
 * struct mp_record - a recording that a user requested
 * @options: processes and events to record
 * @output: the file
 * @force: replace an existing file
 * @keeps_old: with @force, the existing file stays, with the suffix .old
 * @duration_ms: milliseconds after which it ends; 0: no limit
 * @interval_ms: milliseconds between two copies of the module's tallies; 0: only
 *	one at the end
 * @moment_ms: milliseconds between two looks at the pages of targets; 0: only at their ends
 * @ready_fd: descriptor to notify when recording has begun, see
 *	mp_ready_tell(); 0: none
 * @argv, @argc: our own command line, which the file contains
 * @launch: the command to record, which waits to begin; or none
 * @times: the recording lasts as long as the command, which is not its target
 * @regions: folder of the regions of the command's processes; NULL: there are none
 * @source: out, the source that was chosen
 * @nr_bytes, @nr_samples: out, size and number of samples of the file
 * @nr_moments: out, looks at the pages before the end
 * @nr_lost: out, events that were lost because a ring was full
 * @recording: state of the recording
 */
struct mp_record {
	struct mp_record_options options;
	const char *output;
	bool force, keeps_old;
	uint64_t duration_ms;
	uint64_t interval_ms, moment_ms;
	int ready_fd;
	char * const *argv;
	int argc;
	struct mp_launch launch;
	bool times;
	const char *regions;
	enum mp_source source;
	uint64_t nr_bytes, nr_samples, nr_lost, nr_moments;
	struct mp_recording *recording;
};

/** mp_record_cannot_make - set @diag for an @output that could not be opened */
int mp_record_cannot_make(const char *output, int err, struct mp_diag *diag);

/**
 * mp_record_check_output - check whether the file can be made; call it before
 * recording
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_record_check_output(const char *output, bool force,
			   struct mp_diag *diag);

/**
 * mp_record_begin - begin the session and the file; the command still waits
 * @diag: also gets warnings about what the session cannot do
 *
 * Return: 0, then call mp_record_run(); or a negative errno with the reason in
 * @diag.
 */
int mp_record_begin(struct mp_record *record, struct mp_diag *diag);

/**
 * mp_record_run - record until the command or the targets exit, the time is
 * over, or SIGINT or SIGTERM arrives
 * @signals: from mp_loop_signals()
 *
 * The command may still run afterwards: see @launch. If it could not be run, there is
 * no file.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_record_run(struct mp_record *record, int signals, struct mp_diag *diag);

#endif
