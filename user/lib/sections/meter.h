/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * meter.h: measures CPU time or instructions of a thread.
 */
#ifndef MEMPROF_SECTION_METER_H
#define MEMPROF_SECTION_METER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A meter of one thread. @fd: descriptor of the perf counter, or -1. @last:
 * last value of the meter. @failed: the meter has no valid value, see
 * mp_meter_read().
 */
struct mp_meter {
	uint32_t kind;			/* enum memprof_section_meter */
	int fd;
	uint64_t last;
	bool failed;
};

int mp_meter_open(struct mp_meter *meter, uint32_t kind);
void mp_meter_close(struct mp_meter *meter);
uint64_t mp_meter_read(struct mp_meter *meter);

#endif
