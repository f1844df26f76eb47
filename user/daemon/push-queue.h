/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * push-queue: a folder with the profiles that a far end has not taken yet
 *
 * Each is a file, whose name has its number, the time that it is of, and its format. Files
 * are complete, or are not there.
 */
#ifndef MP_PUSH_QUEUE_H
#define MP_PUSH_QUEUE_H

#include "diag.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of files, however small they are. */
#define MP_PUSH_MAX_FILES	10000

/**
 * struct mp_push_entry - one profile
 * @number: order of the profiles
 * @from_s, @until_s: time that it is of, CLOCK_REALTIME
 * @bytes: size of the file
 */
struct mp_push_entry {
	uint64_t number;
	uint64_t from_s, until_s;
	uint64_t bytes;
};

/**
 * struct mp_push_queue - the folder; all zero means none
 * @folder: its path
 * @format: end of the names of its files
 * @entries: oldest first
 * @nr: number of @entries
 * @bytes: size of all files
 * @last: number of the latest file
 */
struct mp_push_queue {
	char folder[PATH_MAX - 128];
	const char *format;
	struct mp_push_entry *entries;
	size_t nr;
	uint64_t bytes;
	uint64_t last;
};

/**
 * mp_push_queue_open - make the folder, or read what a previous agent left in it
 * @queue: must be zero; the caller frees it
 * @format: files of another format are removed, as drafts are
 * @nr_removed: out: number of files of another format
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_push_queue_open(struct mp_push_queue *queue, const char *folder, const char *format,
		       uint64_t *nr_removed, struct mp_diag *diag);

/** mp_push_queue_draft - path of the file that mp_push_queue_add() takes; PATH_MAX bytes */
void mp_push_queue_draft(const struct mp_push_queue *queue, char *path);

/**
 * mp_push_queue_add - add the draft
 * @pack: compress it first
 *
 * Return: 0, or a negative errno; the draft is removed then.
 */
int mp_push_queue_add(struct mp_push_queue *queue, bool pack, uint64_t from_s,
		      uint64_t until_s);

/**
 * mp_push_queue_prune - remove the oldest files until the others are within the limits
 * @max_bytes: limit of all files together
 * @keep: number of a file that stays, because it is being sent; 0: none
 *
 * Return: number of files that were removed.
 */
size_t mp_push_queue_prune(struct mp_push_queue *queue, uint64_t max_bytes, uint64_t keep);

/** mp_push_queue_read - open a file for reading. Return: a descriptor, or a negative errno */
int mp_push_queue_read(const struct mp_push_queue *queue, const struct mp_push_entry *entry);

/** mp_push_queue_remove - remove a file by its number, if it is still there */
void mp_push_queue_remove(struct mp_push_queue *queue, uint64_t number);

/** mp_push_queue_free - forget the files, which stay in the folder */
void mp_push_queue_free(struct mp_push_queue *queue);

#endif
