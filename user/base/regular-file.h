/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * regular-file: opens regular files, and nothing else, by untrusted paths
 */
#ifndef MP_REGULAR_FILE_H
#define MP_REGULAR_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_identity - the file that is expected
 * @inode: inode number; 0: any file
 * @dev: device of its file system, as in /proc; 0: not known
 */
struct mp_identity {
	uint64_t inode;
	uint64_t dev;
};

/**
 * mp_regular_open - open a regular file for reading
 * @path: symbolic links are followed
 * @identity: the expected file; NULL: any file
 *
 * The path is untrusted. To open a device or a FIFO can have effects. So a file
 * that is not regular, or not the expected one, is never opened.
 *
 * Return: a file descriptor; -EINVAL if it is not a regular file; -ESTALE if it
 * is another file; -EMEDIUMTYPE if it is on a file system of the kernel, such as
 * /proc; another negative errno.
 */
int mp_regular_open(const char *path, const struct mp_identity *identity);

/** mp_regular_open_writable - the same for reading and writing; creates nothing */
int mp_regular_open_writable(const char *path, const struct mp_identity *identity);

/**
 * mp_regular_check - the same check for a file that a library will open
 *
 * Return: 0, or a negative errno. The file can be replaced afterwards.
 */
int mp_regular_check(const char *path);

/**
 * mp_regular_open_of - open a regular file that belongs to a user
 * @path: its last component must not be a symbolic link
 * @or_root: it may belong to root, too
 *
 * Return: as mp_regular_open(); -EPERM if it belongs to another user.
 */
int mp_regular_open_of(const char *path, uid_t user, bool or_root);

/** mp_regular_error - text for an error of mp_regular_open() */
const char *mp_regular_error(int err);

#endif
