/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history: a folder with snapshots of a session, one per interval
 *
 * A snapshot is a recording of sums in the format of gzip. It has what the session has
 * seen since its begin, so two snapshots of a session differ by what happened between
 * them. A new session begins at zero.
 */
#ifndef MP_HISTORY_H
#define MP_HISTORY_H

#include "diag.h"

#include <stddef.h>
#include <stdint.h>

#define MP_HISTORY_FOLDER	"/var/lib/memprof"
#define MP_HISTORY_NAME_SIZE	64

/* Limit of snapshots that are read; with one per minute more than two years. */
#define MP_HISTORY_MAX		(1U << 20)

/* Limit of the unpacked size of a snapshot. */
#define MP_HISTORY_MAX_BYTES	(1ULL << 30)

/**
 * struct mp_history_entry - one snapshot
 * @number: order of the snapshots, which a clock that jumps does not change
 * @time_s: when it was made, CLOCK_REALTIME
 * @session: time at which its session began, in the same way
 * @bytes: size of the file
 * @name: of the file
 */
struct mp_history_entry {
	uint64_t number;
	uint64_t time_s;
	uint64_t session;
	uint64_t bytes;
	char name[MP_HISTORY_NAME_SIZE];
};

/**
 * struct mp_history - the snapshots of a folder; all zero means none
 * @entries: oldest first
 * @nr: number of @entries
 */
struct mp_history {
	struct mp_history_entry *entries;
	size_t nr;
};

/**
 * struct mp_history_limits - what may be kept
 * @bytes: size of all files together
 * @age_s: age of a snapshot
 */
struct mp_history_limits {
	uint64_t bytes;
	uint64_t age_s;
};

/**
 * mp_history_read - list the snapshots of a folder
 * @history: must be zero; the caller frees it
 *
 * Files with other names are left alone.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_history_read(struct mp_history *history, const char *folder,
		    struct mp_diag *diag);

/**
 * mp_history_prepare - make the folder, and remove what an interrupted writer left in it
 *
 * Only one process may write to a folder.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_history_prepare(const char *folder, struct mp_diag *diag);

/** mp_history_draft - path of the file that mp_history_add() compresses; PATH_MAX bytes */
void mp_history_draft(const char *folder, char *path);

/**
 * mp_history_add - compress the draft, and add it to the folder
 * @history: what is in the folder; the snapshot is added
 * @entry: number, time and session; the function sets the rest
 *
 * The draft is removed. After a power failure the snapshot is complete, or is not there.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_history_add(struct mp_history *history, const char *folder,
		   struct mp_history_entry *entry, struct mp_diag *diag);

/**
 * mp_history_prune - remove the oldest snapshots until the others are within the limits
 * @now_s: CLOCK_REALTIME
 *
 * The newest snapshot stays.
 *
 * Return: number of snapshots that were removed.
 */
size_t mp_history_prune(struct mp_history *history, const char *folder,
			const struct mp_history_limits *limits, uint64_t now_s);

/** mp_history_free - free all; the object is empty afterwards */
void mp_history_free(struct mp_history *history);

#endif
