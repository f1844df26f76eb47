/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * examine: find the allocators that a binary defines
 */
#ifndef MP_EXAMINE_H
#define MP_EXAMINE_H

#include "alloc-function.h"
#include "scan.h"

/**
 * mp_examine - look into a file
 * @user: functions to take besides the known ones; may be NULL
 * @fd: the file, open for reading; stays open
 * @path: for messages and to find a debug file beside it
 * @scan: out
 *
 * Return: NULL, or why the file cannot be examined, a constant text.
 */
const char *mp_examine(const struct mp_user_functions *user, int fd,
		       const char *path, struct mp_scan *scan);

/**
 * mp_examine_isolated - the same, in a child process with bounds
 * @why: out, printable, MP_REMARK_SIZE bytes
 *
 * For files of strangers: a file that makes a library crash, loop or eat memory
 * ends the child and nothing else.
 *
 * Return: whether the file was examined; if not, @why says why not.
 */
bool mp_examine_isolated(const struct mp_user_functions *user, int fd,
		      const char *path, struct mp_scan *scan, char *why);

#endif
