/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * binary-file: the files that a profile's binaries were
 */
#ifndef MP_BINARY_FILE_H
#define MP_BINARY_FILE_H

#include "profile.h"

/* Room for its path below a process's root. */
#define MP_BINARY_FILE_PATH	(MEMPROF_PATH_LEN + 32)

/**
 * mp_binary_file_open - open the file itself, or none
 * @path: out: where it is
 *
 * What its process runs, if that lives and the file was replaced; else at its
 * path as its process sees it, or as we do: that is @path in any case. By inode
 * it is known to be the file; where only the build-id is known the caller has to
 * compare that.
 *
 * Return: a file descriptor, or a negative errno.
 */
int mp_binary_file_open(const struct mp_binary *binary, char *path,
			size_t size);

#endif
