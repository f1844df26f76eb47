/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * examine: finds the allocators that a binary defines
 */
#ifndef MP_EXAMINE_H
#define MP_EXAMINE_H

#include "alloc-function.h"
#include "scan.h"

/**
 * mp_examine - examine a file
 * @user: additional functions; may be NULL
 * @fd: the file, open for reading; stays open
 * @path: for messages and to find a debug file beside it
 * @scan: out
 *
 * Return: NULL, or why the file cannot be examined, a constant text.
 */
const char *mp_examine(const struct mp_user_functions *user, int fd,
		       const char *path, struct mp_scan *scan);

/**
 * mp_examine_isolated - examine a file in a child with limits
 * @why: out; printable, MP_REMARK_SIZE bytes
 *
 * For untrusted files: if a file makes a library crash, loop or use too much
 * memory, only the child fails.
 *
 * Return: true, or false with the reason in @why.
 */
bool mp_examine_isolated(const struct mp_user_functions *user, int fd,
			 const char *path, struct mp_scan *scan, char *why);

#endif
