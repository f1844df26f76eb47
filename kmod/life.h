/* SPDX-License-Identifier: GPL-2.0-only */
/* Life: fork, exec and exit of processes, and the end of address spaces. */
#ifndef _MEMPROF_LIFE_H
#define _MEMPROF_LIFE_H

int memprof_life_init(void);

int memprof_life_get(void);
void memprof_life_put(void);
unsigned long memprof_life_missed(void);

#endif
