// SPDX-License-Identifier: GPL-2.0-only
/*
 * stacks-mark: /proc/PID/task
 *
 * Some 10 us per thread. What cannot be read is left as it is.
 */
#include "stacks-mark.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "NR ARG... SP PC", "-1 SP PC" outside of system calls, or "running" */
static uint64_t stack_pointer(pid_t pid, const char *tid)
{
	char path[64], line[256] = "", *at;
	uint64_t sp = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/syscall", (int)pid,
		 tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	at = strrchr(line, ' ');
	if (!at)
		return 0;
	*at = '\0';
	at = strrchr(line, ' ');
	return at && sscanf(at, " 0x%" SCNx64, &sp) == 1 ? sp : 0;
}

void mp_stacks_mark(pid_t pid, struct mp_mappings *mappings)
{
	struct mp_mapping *mapping;
	struct dirent *entry;
	char path[64];
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && nr < MP_MAX_STACKS && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		nr++;
		mapping = mp_mappings_at(mappings,
					 stack_pointer(pid, entry->d_name));
		if (mapping && mapping->class == MP_MAPPING_ANON)
			mapping->class = MP_MAPPING_STACK;
	}
	if (dir)
		closedir(dir);
}
