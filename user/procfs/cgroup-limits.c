// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup-limits: reads memory.max, memory.high and cpu.max
 */
#include "cgroup-limits.h"
#include "cgroup-memory.h"
#include "cgroup.h"
#include "process-file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The file has "QUOTA PERIOD" in microseconds; a quota of "max" is no limit. */
static uint64_t read_cpu(const char *path)
{
	char name[2 * PATH_MAX + 64];
	uint64_t quota, period, cpu = 0;
	FILE *file;

	snprintf(name, sizeof(name), "%s/cpu.max", path);
	file = fopen(name, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%" SCNu64 " %" SCNu64, &quota, &period) == 2 && quota && period)
		cpu = quota < UINT64_MAX / 1000 ? quota * 1000 / period : 0;
	fclose(file);
	return cpu;
}

struct mp_cgroup_limits mp_cgroup_limits_of(pid_t pid)
{
	char mount[PATH_MAX], cgroup[MP_PROCESS_CGROUP_SIZE];
	char path[2 * PATH_MAX + 32];
	struct mp_cgroup_limits limits = { 0 };
	uint64_t bytes;

	if (mp_cgroup_mount(mount) || !mp_process_cgroup(pid, cgroup) ||
	    *cgroup != '/' || strstr(cgroup, "/.."))
		return limits;
	for (; strlen(cgroup) > 1; *strrchr(cgroup, '/') = '\0') {
		snprintf(path, sizeof(path), "%s%s", mount, cgroup);
		bytes = mp_lower_limit(mp_cgroup_memory_number(path, "memory.max"),
				       mp_cgroup_memory_number(path, "memory.high"));
		limits.bytes = mp_lower_limit(bytes, limits.bytes);
		limits.cpu = mp_lower_limit(read_cpu(path), limits.cpu);
	}
	return limits;
}
