/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * binary-file: opens the files of a profile's binaries
 */
#ifndef MP_BINARY_FILE_H
#define MP_BINARY_FILE_H

#include "profile.h"

/* Size for a path below a process's root. */
#define MP_BINARY_FILE_PATH	(MEMPROF_PATH_LEN + 32)

/**
 * mp_binary_file_open - open the file of a binary, and never another file
 * @binary: the binary
 * @path: out: its path
 * @size: bytes at @path
 *
 * If the process still runs and its file was replaced, the running file is
 * opened. Otherwise the file at the binary's path is opened, in the process's
 * root or in ours. The inode is compared. If that file is another build, or is not
 * there, a copy that a recording kept is opened (kept-binary.h). If there is none and
 * only the build-id is known, the caller must compare it.
 *
 * Return: a file descriptor, or a negative errno.
 */
int mp_binary_file_open(const struct mp_binary *binary, char *path,
			size_t size);

#endif
