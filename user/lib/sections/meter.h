/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* meter: what a thread has used */
#ifndef MEMPROF_SECTION_METER_H
#define MEMPROF_SECTION_METER_H

#include <stdbool.h>
#include <stdint.h>

/* Of one thread. @fd: of perf's counter, or -1. @last: what that showed last.
 * @failed: it has not, or not any more, anything to say
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
