// SPDX-License-Identifier: GPL-2.0-only
/*
 * maps: parses the lines of /proc/PID/maps
 *
 * A line takes about a microsecond. A process can choose any names for its files;
 * the kernel only escapes newlines. A line that is not a mapping is skipped.
 */
#include "maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mp_map_line_parse(const char *text, struct mp_map_line *line)
{
	int at = 0;

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		   "%n", &line->start, &line->end, line->permissions,
		   &line->offset, &line->major, &line->minor, &line->inode,
		   &at) != 7 ||
	    line->end <= line->start || strlen(line->permissions) != 4)
		return false;
	line->name = text + at + strspn(text + at, " ");
	return true;
}

int mp_maps_each(pid_t pid,
		 int (*take)(void *context, pid_t pid,
			     const struct mp_map_line *line),
		 void *context)
{
	struct mp_map_line line;
	char path[32], *text = NULL;
	size_t size = 0;
	FILE *file;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!ret && getline(&text, &size, file) > 0) {
		text[strcspn(text, "\n")] = '\0';
		if (mp_map_line_parse(text, &line))
			ret = take(context, pid, &line);
	}
	if (!ret && ferror(file))
		ret = -errno;
	free(text);
	fclose(file);
	return ret;
}
