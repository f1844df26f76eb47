/* SPDX-License-Identifier: GPL-2.0-only */
/* Life: hooks on fork, exec, exit, cgroup moves and ends of address spaces. */
#ifndef _MEMPROF_LIFE_H
#define _MEMPROF_LIFE_H

struct memprof_stream_ops;

extern const struct memprof_stream_ops memprof_life_stream;

int memprof_life_get(void);
void memprof_life_put(void);

#endif
