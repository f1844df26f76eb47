// SPDX-License-Identifier: GPL-2.0-only
/*
 * binary-file: three places to look at
 */
#include "binary-file.h"
#include "regular-file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the kernel adds to the path of a file that is no longer there. */
#define GONE	" (deleted)"

/* A program that was replaced while it runs: its process still has it. */
static int open_replaced(const struct mp_binary *binary,
			 const struct mp_identity *identity)
{
	char exe[32], target[MEMPROF_PATH_LEN + sizeof(GONE)], *end;
	ssize_t len;

	snprintf(exe, sizeof(exe), "/proc/%u/exe", binary->pid);
	len = readlink(exe, target, sizeof(target) - 1);
	if (len < (ssize_t)strlen(GONE))
		return -ENOENT;
	target[len] = '\0';
	end = target + len - strlen(GONE);
	if (strcmp(end, GONE))
		return -ENOENT;
	/* found in /proc it has that in its name, else not */
	if (strcmp(target, binary->path))
		*end = '\0';
	return strcmp(target, binary->path) ? -ENOENT :
	       mp_regular_open(exe, identity);
}

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
		fd = open_replaced(binary, &identity);
	if (binary->pid && fd < 0)
		fd = mp_regular_open(path, &identity);
	if (fd >= 0)
		return fd;
	snprintf(path, size, "%s", binary->path);
	return mp_regular_open(path, &identity);
}
