// SPDX-License-Identifier: GPL-2.0-only
/*
 * maps: parses the lines of /proc/PID/maps
 *
 * A process can choose any names for its files; the kernel only escapes newlines. A line
 * that is not a mapping is skipped.
 *
 * The maps of each process that begins are read. Half of the time went into sscanf(), and
 * stdio reads 1 KB of a file of /proc at a time.
 */
#include "maps.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A read has a page of lines at most. */
#define READ_SIZE	8192

/* Reads a number, and moves @text behind it and @end. @end: what must follow; 0: anything */
static bool parse_number(const char **text, int base, char end, uint64_t *number)
{
	char *rest;

	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*number = strtoull(*text, &rest, base);
	if (errno || (end && *rest != end))
		return false;
	*text = rest + !!end;
	return true;
}

bool mp_map_line_parse(const char *text, struct mp_map_line *line)
{
	uint64_t major, minor;

	if (!parse_number(&text, 16, '-', &line->start) ||
	    !parse_number(&text, 16, ' ', &line->end) || line->end <= line->start ||
	    strcspn(text, " ") != 4)
		return false;
	memcpy(line->permissions, text, 4);
	line->permissions[4] = '\0';
	text += 4 + (text[4] == ' ');
	if (!parse_number(&text, 16, ' ', &line->offset) ||
	    !parse_number(&text, 16, ':', &major) || major > UINT32_MAX ||
	    !parse_number(&text, 16, ' ', &minor) || minor > UINT32_MAX ||
	    !parse_number(&text, 10, '\0', &line->inode))
		return false;
	line->major = (unsigned int)major;
	line->minor = (unsigned int)minor;
	line->name = text + strspn(text, " ");
	return true;
}

int mp_maps_each(pid_t pid,
		 int (*take)(void *context, pid_t pid,
			     const struct mp_map_line *line),
		 void *context)
{
	struct mp_map_line line;
	char path[32], *text = NULL, buffer[READ_SIZE];
	size_t size = 0;
	FILE *file;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
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
