// SPDX-License-Identifier: GPL-2.0-only
/*
 * process-file: finds a line in a file of /proc/PID
 *
 * A call takes about 10 us. If the process exited, the result is empty.
 */
#include "process-file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mp_process_file_line(pid_t pid, const char *name, const char *start,
			  char *line, int size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	line[0] = '\0';
	file = fopen(path, "re");
	if (!file)
		return false;
	do {
		if (!fgets(line, size, file))
			line[0] = '\0';
	} while (line[0] && strncmp(line, start, strlen(start)));
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return line[0];
}

bool mp_process_comm(pid_t pid, char *comm)
{
	return mp_process_file_line(pid, "comm", "", comm,
				    MP_PROCESS_COMM_SIZE);
}

bool mp_process_cgroup(pid_t pid, char *path)
{
	static const char start[] = "0::";

	if (!mp_process_file_line(pid, "cgroup", "0::/", path,
				  MP_PROCESS_CGROUP_SIZE))
		return false;
	memmove(path, path + strlen(start), strlen(path) - strlen(start) + 1);
	return true;
}

pid_t mp_process_parent(pid_t pid)
{
	char line[64];

	return mp_process_file_line(pid, "status", "PPid:", line,
				    sizeof(line)) ? (pid_t)atoi(line + 5) : 0;
}

pid_t mp_process_own_pid(pid_t pid)
{
	char line[256];
	const char *last;

	if (!mp_process_file_line(pid, "status", "NSpid:", line, sizeof(line)))
		return 0;
	last = strrchr(line, '\t');
	return last ? (pid_t)atoi(last) : 0;
}

bool mp_process_is_static(pid_t pid)
{
	char line[PATH_MAX + 128];
	bool any = false, linked = false;
	const char *name;
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/maps", (int)pid);
	file = fopen(line, "re");
	while (file && !linked && fgets(line, sizeof(line), file)) {
		name = strrchr(line, '/');
		any |= name != NULL;
		linked = name && !strncmp(name, "/ld", 3);
	}
	if (file)
		fclose(file);
	return any && !linked;
}
