// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapping: read /proc/PID/maps
 *
 * A process may change its mappings or go at any moment: what then cannot be
 * opened is an error of that one file.
 */
#include "exec-mapping.h"
#include "regular.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

bool mp_mapping_parse(const char *line, struct mp_exec_mapping *mapping)
{
	unsigned int major, minor;
	char permissions[5];
	const char *path;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %"
		   SCNu64 " %n", &mapping->start, &mapping->end, permissions,
		   &mapping->offset, &major, &minor, &mapping->inode,
		   &at) != 7 || !at)
		return false;
	mapping->dev = makedev(major, minor);
	path = line + at;
	if (permissions[2] != 'x' || !mapping->inode || path[0] != '/' ||
	    strlen(path) >= sizeof(mapping->path))
		return false;
	strcpy(mapping->path, path);
	mapping->path[strcspn(mapping->path, "\n")] = '\0';
	return true;
}

int mp_mapping_each(pid_t pid,
		    void (*take)(void *context, pid_t pid,
				 const struct mp_exec_mapping *mapping),
		    void *context)
{
	struct mp_exec_mapping mapping;
	char name[32], *line = NULL;
	size_t size = 0;
	FILE *file;
	int err;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	file = fopen(name, "re");
	if (!file)
		return -errno;
	while (getline(&line, &size, file) > 0)
		if (mp_mapping_parse(line, &mapping))
			take(context, pid, &mapping);
	err = ferror(file) ? -errno : 0;
	free(line);
	fclose(file);
	return err;
}

/* The path may lead to another file by now. */
static int open_path(pid_t pid, const struct mp_exec_mapping *mapping)
{
	const struct mp_identity identity = { mapping->inode, mapping->dev };
	char name[PATH_MAX + 32];

	snprintf(name, sizeof(name), "/proc/%d/root%s", (int)pid, mapping->path);
	return mp_regular_open(name, &identity);
}

int mp_mapping_open(pid_t pid, const struct mp_exec_mapping *mapping)
{
	char name[80];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)pid, mapping->start, mapping->end);
	fd = mp_regular_open(name, NULL);
	/* a mapped device is not to be sought by its path either */
	return fd < 0 && fd != -EINVAL ? open_path(pid, mapping) : fd;
}
