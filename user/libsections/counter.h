/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* counter: the meters of a thread */
#ifndef MEMPROF_SECTION_COUNTER_H
#define MEMPROF_SECTION_COUNTER_H

#include <stdint.h>

/* Of one thread. @fd: of perf's counter, or -1. */
struct mp_counter {
	uint32_t kind;			/* enum memprof_section_meter */
	int fd;
};

int mp_counter_open(struct mp_counter *counter, uint32_t kind);
void mp_counter_close(struct mp_counter *counter);
uint64_t mp_counter_read(const struct mp_counter *counter);

#endif
