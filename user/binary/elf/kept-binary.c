// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept-binary: stores programs in the cache folder, named by their build-ids
 *
 * The folder is the user's own (cache-dir.c). Files count together with those of the symbol cache: the ones that were
 * not used for the longest time go first. After an error there is no copy.
 *
 * Cost: a copy of the file, once per build; nothing is copied on file systems that share
 * blocks.
 */
#include "kept-binary.h"
#include "cache-dir.h"
#include "regular-file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE	(sizeof("program-") + 2 * MP_BUILD_ID_SIZE)

static bool name_of(char *name, const uint8_t *id, size_t size)
{
	size_t i;

	if (size < 8 || size > MP_BUILD_ID_SIZE)
		return false;
	strcpy(name, "program-");
	for (i = 0; i < size; i++)
		sprintf(name + strlen("program-") + 2 * i, "%02x", id[i]);
	return true;
}

static bool is_build(int fd, const uint8_t *id, size_t size)
{
	uint8_t found[MP_BUILD_ID_SIZE];

	return mp_build_id_read_fd(fd, found) == size && !memcmp(found, id, size);
}

/*
 * A build-id is only what a file says of itself. So a copy, which is our own, is made only of
 * a file that nobody but root and our user can have written.
 */
static bool is_trusted(const struct stat *st)
{
	return (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & 0022);
}

/* Whether there is a complete copy of a file with @bytes. */
static bool has_copy(int dir, const char *name, const uint8_t *id, size_t size, off_t bytes)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bool is_there;

	if (fd < 0)
		return false;
	is_there = !fstat(fd, &st) && st.st_size == bytes && is_build(fd, id, size);
	close(fd);
	return is_there;
}

/* Returns what mp_kept_binary_put() does. */
static int64_t put(int dir, const char *name, int from, const uint8_t *id, size_t size)
{
	struct stat st;

	if (fstat(from, &st) || !is_trusted(&st) || !is_build(from, id, size))
		return -1;
	if (has_copy(dir, name, id, size, st.st_size)) {
		/* what is used again is the newest */
		utimensat(dir, name, NULL, AT_SYMLINK_NOFOLLOW);
		return 0;
	}
	return mp_cache_dir_copy(dir, name, from, MP_KEPT_BINARY_MAX) ? st.st_size : -1;
}

int64_t mp_kept_binary_put(const char *path, const uint8_t *id, size_t size)
{
	char name[NAME_SIZE];
	int dir = name_of(name, id, size) ? mp_cache_dir_open(true) : -1, from;
	int64_t bytes = -1;

	if (dir < 0)
		return -1;
	from = mp_regular_open(path, NULL);
	if (from >= 0) {
		bytes = put(dir, name, from, id, size);
		close(from);
	}
	if (bytes > 0)
		mp_cache_dir_trim(dir, MP_CACHE_DIR_MAX);
	close(dir);
	return bytes;
}

/* The path of an open folder, as the kernel knows it. */
static bool path_of(int dir, const char *name, char *path, size_t size)
{
	char link[32], folder[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	len = readlink(link, folder, sizeof(folder) - 1);
	if (len <= 0)
		return false;
	folder[len] = '\0';
	len = snprintf(path, size, "%s/%s", folder, name);
	return len > 0 && (size_t)len < size;
}

int mp_kept_binary_open(const struct mp_binary *binary, char *path, size_t size)
{
	char name[NAME_SIZE], here[PATH_MAX];
	int dir = name_of(name, binary->build_id, binary->build_id_size) ?
		  mp_cache_dir_open(false) : -1, fd;

	if (dir < 0)
		return -1;
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && (!is_build(fd, binary->build_id, binary->build_id_size) ||
			!path_of(dir, name, here, size < sizeof(here) ? size : sizeof(here)))) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		snprintf(path, size, "%s", here);
	close(dir);
	return fd;
}
