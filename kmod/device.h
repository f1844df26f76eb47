/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/memprof: each open file has one session. */
#ifndef _MEMPROF_DEVICE_H
#define _MEMPROF_DEVICE_H

int memprof_device_init(void);
void memprof_device_exit(void);

#endif
