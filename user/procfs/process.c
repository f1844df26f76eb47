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
#include <stdlib.h>

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
