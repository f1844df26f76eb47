// SPDX-License-Identifier: GPL-2.0-only
/*
 * status-sizes: reads lines "Key: N kB" of a file in /proc/PID
 */
#include "status-sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool mp_status_sizes(pid_t pid, const char *name, const struct mp_status_size *wanted)
{
	const struct mp_status_size *w;
	char line[256];
	bool any = false;
	uint64_t kib;
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/%s", (int)pid, name);
	file = fopen(line, "re");
	while (file && fgets(line, sizeof(line), file))
		for (w = wanted; w->key; w++)
			if (!strncmp(line, w->key, strlen(w->key)) &&
			    sscanf(line + strlen(w->key), " %" SCNu64,
				   &kib) == 1) {
				*w->bytes = kib * 1024;
				any = true;
			}
	if (file)
		fclose(file);
	return any;
}
