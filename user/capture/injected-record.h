/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * injected-record: records running processes by the library alone, without perf's events
 */
#ifndef MP_INJECTED_RECORD_H
#define MP_INJECTED_RECORD_H

#include "preload.h"
#include "targets.h"

/**
 * struct mp_injected_record - what to record
 * @preload: the file and the rate; there is no command
 * @targets: the processes
 * @duration_ms: time after which the recording ends; 0: with the processes, or by a signal
 * @ready_fd: gets a line when the processes have the library, see mp_ready_tell(); 0: none
 */
struct mp_injected_record {
	struct mp_preload preload;
	const struct mp_targets *targets;
	uint64_t duration_ms;
	int ready_fd;
};

/**
 * mp_injected_record - put the library into processes, wait, and write their samples
 * @signals: from mp_loop_signals(); SIGINT and SIGTERM end the recording
 * @diag: also gets warnings about processes that cannot have it
 *
 * Whoever may trace the processes may do that. Children that they fork are sampled, too.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_injected_record(const struct mp_injected_record *record, int signals,
		       struct mp_preload_result *result, struct mp_diag *diag);

#endif
