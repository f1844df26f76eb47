// SPDX-License-Identifier: GPL-2.0-only
/*
 * regular-file: checks a file before it opens it
 *
 * An O_PATH descriptor refers to the file while it is checked. Then that
 * descriptor is opened through /proc/self/fd, so the opened file is always the
 * checked one. The cost is five system calls.
 */
#include "regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Older versions of linux/magic.h do not define these numbers. */
#ifndef CONFIGFS_MAGIC
#define CONFIGFS_MAGIC		0x62656570
#endif
#ifndef FUSECTL_MAGIC
#define FUSECTL_MAGIC		0x65735543
#endif

/*
 * Whether two device numbers are known to differ. btrfs, overlayfs and others
 * report device numbers with major number 0; these cannot be compared.
 */
static bool is_other_dev(uint64_t a, uint64_t b)
{
	return major(a) && major(b) && a != b;
}

/*
 * File systems whose files are interfaces of the kernel. Reading such a file can
 * have effects: a read of /proc/kmsg removes messages from the log. A process
 * can mount these file systems on any path of its mount namespace.
 */
static const unsigned long kernels[] = {
	PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,
	CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC, PSTOREFS_MAGIC,
	BPF_FS_MAGIC, EFIVARFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC,
	DEVPTS_SUPER_MAGIC, BINFMTFS_MAGIC, RDTGROUP_SUPER_MAGIC, CONFIGFS_MAGIC,
	FUSECTL_MAGIC, NSFS_MAGIC, XENFS_SUPER_MAGIC,
};

static bool is_kernels(int fd)
{
	struct statfs system;
	size_t i;

	if (fstatfs(fd, &system))
		return false;
	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if ((unsigned long)system.f_type == kernels[i])
			return true;
	return false;
}

static int check_file(int fd, const struct mp_identity *identity)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (is_kernels(fd))
		return -EMEDIUMTYPE;
	if (identity && identity->inode &&
	    (st.st_ino != identity->inode ||
	     is_other_dev(st.st_dev, identity->dev)))
		return -ESTALE;
	return 0;
}

/* Opens the file of an O_PATH descriptor. */
static int reopen(int held, int access)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", held);
	/* O_NONBLOCK: open() must not wait if another process holds a lease */
	fd = open(name, access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static int open_checked(const char *path, const struct mp_identity *identity,
			int access)
{
	int held = open(path, O_PATH | O_CLOEXEC);
	int err;

	if (held < 0)
		return -errno;
	err = check_file(held, identity);
	if (!err && access != O_PATH)
		err = reopen(held, access);
	close(held);
	return err;
}

int mp_regular_open(const char *path, const struct mp_identity *identity)
{
	return open_checked(path, identity, O_RDONLY);
}

int mp_regular_open_writable(const char *path, const struct mp_identity *identity)
{
	return open_checked(path, identity, O_RDWR);
}

int mp_regular_check(const char *path)
{
	return open_checked(path, NULL, O_PATH);
}

int mp_regular_open_of(const char *path, uid_t user, bool or_root)
{
	int held = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int err;

	if (held < 0)
		return -errno;
	err = check_file(held, NULL);
	if (!err && (fstat(held, &st) ||
		     (st.st_uid != user && (st.st_uid || !or_root))))
		err = -EPERM;
	if (!err)
		err = reopen(held, O_RDONLY);
	close(held);
	return err;
}

const char *mp_regular_error(int err)
{
	switch (err) {
	case -EINVAL:
		return "not a regular file";
	case -EMEDIUMTYPE:
		return "a file of the kernel, such as those in /proc";
	case -ESTALE:
		return "another file is in its place";
	default:
		return strerror(-err);
	}
}
