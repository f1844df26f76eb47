// SPDX-License-Identifier: GPL-2.0-only
/*
 * binary-file: opens a binary through /proc/PID/exe, the process's root, our root, or the
 * copy that a recording kept
 *
 * Opening costs a few system calls. If no file is the right one, the result is
 * a negative errno.
 */
#include "binary-file.h"
#include "kept-binary.h"
#include "regular-file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The kernel's suffix for the path of a deleted file. */
#define GONE	" (deleted)"

/* Opens a running program whose file was replaced or deleted. */
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
	/* a path from /proc ends with " (deleted)", a path from other sources does not */
	if (strcmp(target, binary->path))
		*end = '\0';
	return strcmp(target, binary->path) ? -ENOENT :
	       mp_regular_open(exe, identity);
}

/*
 * A file that replaced the binary must not be used: its symbols would be wrong.
 */
static int open_there(const struct mp_binary *binary, char *path, size_t size)
{
	const struct mp_identity identity = { binary->inode, binary->dev };
	int fd = -1;

	/* the identity is not known, so any file could be at the path */
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

static bool is_build(int fd, const struct mp_binary *binary)
{
	uint8_t id[MP_BUILD_ID_SIZE];

	return fd >= 0 && mp_build_id_read_fd(fd, id) == binary->build_id_size &&
	       !memcmp(id, binary->build_id, binary->build_id_size);
}

int mp_binary_file_open(const struct mp_binary *binary, char *path, size_t size)
{
	char other[MP_BINARY_FILE_PATH] = "";
	int fd = open_there(binary, path, size), kept;

	if (!binary->build_id_size || is_build(fd, binary))
		return fd;
	kept = mp_kept_binary_open(binary, other, sizeof(other));
	if (kept < 0)
		return fd;
	if (fd >= 0)
		close(fd);
	snprintf(path, size, "%s", other);
	return kept;
}
