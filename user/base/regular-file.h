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
 * The path is untrusted, and opening a device or a FIFO can have effects. So the
 * function opens a file only if it is a regular file and the expected one.
 *
 * Return: a file descriptor; -EINVAL if it is not a regular file; -ESTALE if it
 * is another file; -EMEDIUMTYPE if it is on a file system of the kernel, such as
 * /proc; another negative errno.
 */
int mp_regular_open(const char *path, const struct mp_identity *identity);

/** mp_regular_open_writable - like mp_regular_open(), for reading and writing */
int mp_regular_open_writable(const char *path, const struct mp_identity *identity);

/**
 * mp_regular_check - check that a path leads to a regular file, without opening it
 *
 * For libraries that open a file by its path. Another process can replace the
 * file between the check and that open.
 *
 * Return: 0, or an error as from mp_regular_open().
 */
int mp_regular_check(const char *path);

/**
 * mp_regular_open_of - open a regular file that belongs to a user
 * @path: its last component must not be a symbolic link
 * @user: required owner of the file
 * @or_root: the file may also belong to root
 *
 * Return: as mp_regular_open(); -EPERM if it belongs to another user.
 */
int mp_regular_open_of(const char *path, uid_t user, bool or_root);

/** mp_regular_error - text that describes an error of mp_regular_open() */
const char *mp_regular_error(int err);

#endif
