/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * size-marks: remembers processes whose memory has not changed since it was read
 */
#ifndef MP_SIZE_MARKS_H
#define MP_SIZE_MARKS_H

#include "map.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** struct mp_size_mark - of a process, see mp_process_mark(); and when it was read */
struct mp_size_mark {
	uint64_t mark;
	uint64_t read_ns;
};

/** struct mp_size_marks - marks of processes; all zero is empty */
struct mp_size_marks {
	struct mp_size_mark *list;
	size_t nr, max;
	struct mp_map by_pid;
};

/**
 * mp_size_marks_changed - whether a process's memory is to be read
 * @now_ns: CLOCK_MONOTONIC
 *
 * That is so if it may have changed, if it was not read for half a minute, or if memory is
 * short.
 */
bool mp_size_marks_changed(struct mp_size_marks *marks, pid_t pid, uint64_t now_ns);

/** mp_size_marks_sweep - forget all if most of the processes have ended */
void mp_size_marks_sweep(struct mp_size_marks *marks, size_t nr_living);

/** mp_size_marks_free - free all; the object is empty afterwards */
void mp_size_marks_free(struct mp_size_marks *marks);

#endif
