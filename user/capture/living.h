/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * living: lists the processes that, according to the records of a recording,
 * still run
 */
#ifndef MP_LIVING_H
#define MP_LIVING_H

#include "map.h"

#include <linux/perf_event.h>
#include <sys/types.h>

/**
 * struct mp_living - process ids; all zero means none
 * @by_pid: processes whose begin was recorded and whose exit was not
 */
struct mp_living {
	struct mp_map by_pid;
};

/**
 * mp_living_take - follow forks, names and exits
 * @record: any record of the kernel
 *
 * If memory is short, a process is left out.
 *
 * Return: the process whose exit the record tells; or 0.
 */
pid_t mp_living_take(struct mp_living *living, const struct perf_event_header *record);

/** mp_living_add - add a process that is known from elsewhere */
void mp_living_add(struct mp_living *living, uint32_t pid);

/**
 * mp_living_ended - call a function for each process that does not run any more
 *
 * The records of their exits were lost. Source: /proc.
 *
 * Return: the first result of @take that is not 0; or 0.
 */
int mp_living_ended(const struct mp_living *living,
		    int (*take)(void *context, pid_t pid), void *context);

/** mp_living_free - free all memory; the object is empty afterwards */
void mp_living_free(struct mp_living *living);

#endif
