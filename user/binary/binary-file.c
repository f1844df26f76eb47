// SPDX-License-Identifier: GPL-2.0-only
/*
 * binary-file: two places to look at
 */
#include "binary-file.h"
#include "regular.h"

#include <errno.h>
#include <stdio.h>

/* Anything from the file's successor would be a lie. */
int mp_binary_file_open(const struct mp_binary *binary, char *path, size_t size)
{
	const struct mp_identity identity = { binary->inode, binary->dev };
	int fd = -1;

	/* a file that nothing is known of could be any */
	if (!binary->inode && !binary->build_id_size)
		return -ENOENT;
	snprintf(path, size, "/proc/%u/root%s", binary->pid, binary->path);
	if (binary->pid)
		fd = mp_regular_open(path, &identity);
	if (fd >= 0)
		return fd;
	snprintf(path, size, "%s", binary->path);
	return mp_regular_open(path, &identity);
}
