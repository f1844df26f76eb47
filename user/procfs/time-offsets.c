// SPDX-License-Identifier: GPL-2.0-only
/*
 * time-offsets: compares /proc/PID/timens_offsets with our own
 *
 * Both files have offsets to the clocks of the initial time namespace. A read
 * of both takes 20 us.
 */
#include "time-offsets.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECOND	1000000000LL

static bool read_offsets(pid_t pid, struct mp_time_offsets *offsets)
{
	int64_t seconds, ns;
	char path[40], name[16];
	FILE *file;

	*offsets = (struct mp_time_offsets){ 0 };
	snprintf(path, sizeof(path), "/proc/%d/timens_offsets", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fscanf(file, "%15s %" SCNd64 " %" SCNd64, name, &seconds, &ns) == 3) {
		/* Linux 5.6 writes numbers of clocks instead of names */
		if (!strcmp(name, "monotonic") || !strcmp(name, "1"))
			offsets->monotonic = seconds * SECOND + ns;
		if (!strcmp(name, "boottime") || !strcmp(name, "7"))
			offsets->boottime = seconds * SECOND + ns;
	}
	fclose(file);
	return true;
}

void mp_time_offsets_read(pid_t pid, struct mp_time_offsets *offsets)
{
	struct mp_time_offsets ours;

	if (!read_offsets(pid, offsets) || !read_offsets(getpid(), &ours)) {
		*offsets = (struct mp_time_offsets){ 0 };
		return;
	}
	offsets->monotonic -= ours.monotonic;
	offsets->boottime -= ours.boottime;
}
