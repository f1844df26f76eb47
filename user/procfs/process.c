// SPDX-License-Identifier: GPL-2.0-only
/*
 * process: lists the processes in /proc
 *
 * One system call returns some hundred processes. A process that starts during the
 * listing may be missed.
 */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mp_process_each(void (*take)(void *context, pid_t pid), void *context)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char *end;
	long pid;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		pid = strtol(entry->d_name, &end, 10);
		if (pid > 0 && !*end)
			take(context, (pid_t)pid);
	}
	closedir(dir);
	return 0;
}

bool mp_process_has_ended(pid_t pid)
{
	char path[32], text[256];
	const char *state;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT || errno == ESRCH;
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	/* the name of at most 63 bytes can contain brackets, too */
	state = strrchr(text, ')');
	/* nothing can be read if the process was reaped since the open */
	return !size || (state && (!strncmp(state, ") Z", 3) ||
				   !strncmp(state, ") X", 3)));
}
