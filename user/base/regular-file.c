// SPDX-License-Identifier: GPL-2.0-only
/*
 * regular-file: checks a file before it opens it
 *
 * An O_PATH descriptor refers to the file while it is checked. Then that
 * descriptor is opened through /proc/self/fd, so the path cannot lead to
 * another file meanwhile. It costs four system calls.
 */
#include "regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * btrfs, overlayfs and others show device numbers without a major number in
 * user space. These cannot be compared.
 */
static bool is_other_dev(uint64_t a, uint64_t b)
{
	return major(a) && major(b) && a != b;
}

static int check_file(int fd, const struct mp_identity *identity)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (identity && identity->inode &&
	    (st.st_ino != identity->inode ||
	     is_other_dev(st.st_dev, identity->dev)))
		return -ESTALE;
	return 0;
}

/* Opens the file of an O_PATH descriptor for reading. */
static int reopen(int held)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", held);
	/* must not block if another process holds a lease */
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int mp_regular_open(const char *path, const struct mp_identity *identity)
{
	int held = open(path, O_PATH | O_CLOEXEC);
	int err;

	if (held < 0)
		return -errno;
	err = check_file(held, identity);
	if (!err)
		err = reopen(held);
	close(held);
	return err;
}

int mp_regular_open_of(const char *path, uid_t user)
{
	int held = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int err;

	if (held < 0)
		return -errno;
	err = check_file(held, NULL);
	if (!err && (fstat(held, &st) || (st.st_uid && st.st_uid != user)))
		err = -EPERM;
	if (!err)
		err = reopen(held);
	close(held);
	return err;
}

const char *mp_regular_error(int err)
{
	switch (err) {
	case -EINVAL:
		return "not a regular file";
	case -ESTALE:
		return "another file is in its place";
	default:
		return strerror(-err);
	}
}
