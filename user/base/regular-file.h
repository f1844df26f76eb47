/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * regular-file: open regular files by paths that strangers chose, and nothing else
 */
#ifndef MP_REGULAR_FILE_H
#define MP_REGULAR_FILE_H

#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_identity - which file it has to be
 * @inode: number; 0 for any file
 * @dev: of its file system, as the kernel numbers it; 0 where it is not known
 */
struct mp_identity {
	uint64_t inode;
	uint64_t dev;
};

/**
 * mp_regular_open - open a regular file for reading
 * @path: symbolic links are followed
 * @identity: of the file; NULL for any file
 *
 * The path may lead anywhere: what is no regular file, or another one, is never
 * opened, only looked at, for to open a device or a FIFO can do something.
 *
 * Return: a file descriptor; -EINVAL for what is no regular file, -ESTALE for
 * another one, or another negative errno.
 */
int mp_regular_open(const char *path, const struct mp_identity *identity);

/**
 * mp_regular_open_of - open a regular file that a user made, or root
 * @path: its last part is no symbolic link
 *
 * Return: as mp_regular_open(), -EPERM for one of somebody else.
 */
int mp_regular_open_of(const char *path, uid_t user);

/** mp_regular_error - the text for an error of mp_regular_open() */
const char *mp_regular_error(int err);

#endif
