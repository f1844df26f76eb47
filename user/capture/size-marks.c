// SPDX-License-Identifier: GPL-2.0-only
/*
 * size-marks: reads /proc/PID/stat instead of /proc/PID/smaps
 *
 * smaps walks all pages of a process: 100 us and more, each second, also of those that sleep,
 * which most processes do. stat takes 10 us. What changes without it: the parts of pages that
 * others share, and some pages that were given back without a fault; so sizes are read again
 * from time to time.
 */
#include "size-marks.h"
#include "array.h"
#include "process.h"

#include <stdlib.h>

#define FRESH_NS	(30 * 1000000000ULL)

/* Finds the mark of a process, or makes one that no process has. */
static struct mp_size_mark *find(struct mp_size_marks *marks, pid_t pid)
{
	uint32_t *known = mp_map_add(&marks->by_pid, (uint64_t)pid, 0);

	if (!known)
		return NULL;
	if (*known == MP_MAP_NEW) {
		if (marks->nr == marks->max &&
		    !mp_array_grow(&marks->list, &marks->max, sizeof(*marks->list))) {
			mp_map_remove(&marks->by_pid, (uint64_t)pid, 0);
			return NULL;
		}
		*known = (uint32_t)marks->nr;
		marks->list[marks->nr++] = (struct mp_size_mark){ 0 };
	}
	return &marks->list[*known];
}

bool mp_size_marks_changed(struct mp_size_marks *marks, pid_t pid, uint64_t now_ns)
{
	struct mp_size_mark *known;
	uint64_t mark;

	if (!mp_process_mark(pid, &mark))
		return true;
	known = find(marks, pid);
	if (!known)
		return true;
	if (known->read_ns && known->mark == mark && now_ns < known->read_ns + FRESH_NS)
		return false;
	*known = (struct mp_size_mark){ mark, now_ns };
	return true;
}

void mp_size_marks_sweep(struct mp_size_marks *marks, size_t nr_living)
{
	if (marks->nr > 2 * nr_living + 64)
		mp_size_marks_free(marks);
}

void mp_size_marks_free(struct mp_size_marks *marks)
{
	free(marks->list);
	mp_map_free(&marks->by_pid);
	*marks = (struct mp_size_marks){ 0 };
}
