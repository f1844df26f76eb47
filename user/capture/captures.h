/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * captures: the snapshots around the moments at which memory was short
 *
 * A capture is a folder with the last snapshots of the history, as a history has them, and
 * the file capture.json, which says what happened. The snapshots stay when the history
 * drops them: they are links.
 */
#ifndef MP_CAPTURES_H
#define MP_CAPTURES_H

#include "history.h"
#include "memory-watch.h"
#include "oom-log.h"

/* Name of the folder in the history's. */
#define MP_CAPTURES_FOLDER	"captures"
#define MP_CAPTURES_FILE	"capture.json"

/* Snapshots of a capture: the last one, and those of the minutes before. */
#define MP_CAPTURES_SNAPSHOTS	16
#define MP_CAPTURES_BEFORE_S	600

#define MP_CAPTURES_NAME_SIZE	64

/** struct mp_capture_name - name of a capture's folder */
struct mp_capture_name {
	char text[MP_CAPTURES_NAME_SIZE];
};

/**
 * struct mp_capture - what happened
 * @time_s: CLOCK_REALTIME
 * @trouble: the event and the cgroup
 * @current, @max: memory.current and memory.max of the cgroup then; 0: not known, or none
 * @victims: processes that were killed
 * @nr_victims: number of @victims
 * @log_unread: the kernel's log cannot be read, so victims are not known
 */
struct mp_capture {
	uint64_t time_s;
	struct mp_memory_trouble trouble;
	uint64_t current, max;
	struct mp_oom_victim victims[MP_OOM_LOG_MAX];
	size_t nr_victims;
	bool log_unread;
};

/**
 * struct mp_captures_limits - what may be kept
 * @nr: captures
 * @bytes: sizes of their snapshots together
 */
struct mp_captures_limits {
	uint64_t nr;
	uint64_t bytes;
};

/**
 * mp_captures_add - make a capture of the newest snapshot of a history
 *
 * It is there as a whole or not at all. The oldest captures are removed until the others
 * are within the limits; the newest one stays.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_captures_add(const char *folder, const struct mp_history *history,
		    const struct mp_capture *capture, const struct mp_captures_limits *limits,
		    struct mp_diag *diag);

/**
 * mp_captures_list - names of the captures in a history's folder, the oldest first
 * @names: out; the caller frees it
 *
 * Return: their number, or a negative errno.
 */
long mp_captures_list(const char *folder, struct mp_capture_name **names);

/**
 * mp_captures_read - read what happened
 * @name: of the capture
 *
 * Return: 0, or a negative errno; -EBADMSG if the file is none of a capture.
 */
int mp_captures_read(const char *folder, const char *name, struct mp_capture *capture);

#endif
