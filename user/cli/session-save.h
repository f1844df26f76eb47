/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session-save: writes what a session has seen so far into a file that report reads
 */
#ifndef MP_SESSION_SAVE_H
#define MP_SESSION_SAVE_H

#include "diag.h"
#include "preload.h"

/**
 * mp_session_read - ask the collector for all rows, with the names of cgroups and processes
 * @profile: out; must be zero; free it also after an error
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_session_read(struct mp_profile *profile, struct mp_diag *diag);

/**
 * mp_session_save - ask the collector for all rows, and write them
 * @file: path, and what to do with an older file of this name; our command line
 * @nr_bytes: out: size of the file
 *
 * The session goes on. Events that come later are not in the file.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_session_save(const struct mp_preload *file, uint64_t *nr_bytes,
		    struct mp_diag *diag);

/**
 * mp_session_keep - write the same where mp_session_kept() finds it
 *
 * For a session that is about to be stopped. A file above 64 MiB is not kept.
 *
 * Return: 0, or a negative errno: then nothing is kept.
 */
int mp_session_keep(int argc, char **argv);

/**
 * mp_session_kept - find what the last session of this user left
 * @path: PATH_MAX bytes
 *
 * Return: true if there is such a file.
 */
bool mp_session_kept(char *path);

/**
 * mp_session_last - find the session that runs, or else the last one
 * @path: PATH_MAX bytes
 *
 * Return: @path if no session runs and one was kept; else NULL, for the session.
 */
const char *mp_session_last(char *path);

#endif
