// SPDX-License-Identifier: GPL-2.0-only
/*
 * region-folder: makes the folder for the regions of a command's processes
 */
#include "region-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of a region that a process uses when it starts. */
#define FIRST_BYTES	(192ULL << 10)

/*
 * A process that still runs has its region mapped, so the file can be removed.
 * Other users may have created files there, so files are removed only directly
 * in the folder and by name.
 */
void mp_region_folder_remove(const struct mp_region_folder *folder)
{
	DIR *dir = opendir(folder->regions);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (unlinkat(dirfd(dir), entry->d_name, 0) && errno == EISDIR)
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	if (dir)
		closedir(dir);
	rmdir(folder->regions);
	rmdir(folder->top);
}

/* Checks for disk space before the command is run. */
static int check_room(const char *folder)
{
	static const char zeros[4096];
	char path[PATH_MAX + 16];
	uint64_t size = 0;
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/room", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	while (!err && size < FIRST_BYTES) {
		err = write(fd, zeros, sizeof(zeros)) == sizeof(zeros) ?
		      0 : errno ? -errno : -ENOSPC;
		size += sizeof(zeros);
	}
	close(fd);
	unlink(path);
	return err;
}

/*
 * A command that root runs may change its user, and must still find the folder.
 * So @regions is inside of @top, which others can enter but not list. Only the
 * command's processes know the name of @regions, and with the sticky bit no
 * user can remove another user's file.
 */
static int open_folder(struct mp_region_folder *folder)
{
	snprintf(folder->regions, sizeof(folder->regions), "%s/XXXXXX",
		 folder->top);
	if (chmod(folder->top, 0711) || !mkdtemp(folder->regions))
		return -errno;
	return chmod(folder->regions, 01733) ? -errno : 0;
}

int mp_region_folder_make(struct mp_region_folder *folder, struct mp_diag *diag)
{
	const char *tmp = getenv("TMPDIR");
	int err = 0;

	snprintf(folder->top, sizeof(folder->top), "%s/memprof-XXXXXX",
		 tmp && tmp[0] == '/' ? tmp : "/tmp");
	if (!mkdtemp(folder->top))
		return mp_diag_fail(diag, errno, NULL, "cannot make a folder like %s",
				    folder->top);
	if (geteuid())
		memcpy(folder->regions, folder->top, sizeof(folder->top));
	else
		err = open_folder(folder);
	if (!err)
		err = check_room(folder->regions);
	if (!err)
		return 0;
	mp_region_folder_remove(folder);
	return mp_diag_fail(diag, err, "TMPDIR=FOLDER names another",
		       "there is no room for a process's samples in %s", folder->top);
}
