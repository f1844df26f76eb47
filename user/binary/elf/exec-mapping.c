// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec-mapping: reads the executable mappings in /proc/PID/maps
 *
 * A process can change its mappings, or exit, at any time. Then opening that
 * file fails with a negative errno.
 */
#include "exec-mapping.h"
#include "regular-file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

bool mp_exec_mapping_of(const struct mp_map_line *line,
			struct mp_exec_mapping *mapping)
{
	if (!mp_map_is_executable(line) || !line->inode ||
	    line->name[0] != '/' || strlen(line->name) >= sizeof(mapping->path))
		return false;
	mapping->start = line->start;
	mapping->end = line->end;
	mapping->offset = line->offset;
	mapping->dev = makedev(line->major, line->minor);
	mapping->inode = line->inode;
	strcpy(mapping->path, line->name);
	return true;
}

struct walk {
	void (*take)(void *context, pid_t pid,
		     const struct mp_exec_mapping *mapping);
	void *context;
};

static int pass_mapping(void *context, pid_t pid, const struct mp_map_line *line)
{
	const struct walk *walk = context;
	struct mp_exec_mapping mapping;

	if (mp_exec_mapping_of(line, &mapping))
		walk->take(walk->context, pid, &mapping);
	return 0;
}

int mp_exec_mapping_each(pid_t pid,
			 void (*take)(void *context, pid_t pid,
				      const struct mp_exec_mapping *mapping),
			 void *context)
{
	struct walk walk = { take, context };

	return mp_maps_each(pid, pass_mapping, &walk);
}

/* Opens the file by its path, and compares the inode: another file may be there now. */
static int open_path(pid_t pid, const struct mp_exec_mapping *mapping)
{
	const struct mp_identity identity = { mapping->inode, mapping->dev };
	char name[PATH_MAX + 32];

	snprintf(name, sizeof(name), "/proc/%d/root%s", (int)pid, mapping->path);
	return mp_regular_open(name, &identity);
}

/*
 * The same where the device tells file systems apart. Numbers of inodes alone do not: another
 * file, also one of ours behind a link, may have the same.
 */
static int open_same(pid_t pid, const struct mp_exec_mapping *mapping)
{
	struct stat st;
	int fd = major(mapping->dev) ? open_path(pid, mapping) : -ENODEV;

	if (fd >= 0 && (fstat(fd, &st) || st.st_dev != mapping->dev)) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

int mp_exec_mapping_open(pid_t pid, const struct mp_exec_mapping *mapping)
{
	char name[80];
	int fd = open_same(pid, mapping);

	if (fd >= 0)
		return fd;
	/* this waits while threads of the process map and unmap: 0.4 s beside 16 busy ones */
	snprintf(name, sizeof(name), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)pid, mapping->start, mapping->end);
	fd = mp_regular_open(name, NULL);
	/* -EINVAL: not a regular file, so it must not be opened by its path, either */
	return fd < 0 && fd != -EINVAL ? open_path(pid, mapping) : fd;
}
