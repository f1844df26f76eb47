/* SPDX-License-Identifier: GPL-2.0-only */
/* Growth: every brk, mmap, munmap and mremap of a target, with exact sizes. */
#ifndef _MEMPROF_GROWTH_H
#define _MEMPROF_GROWTH_H

#include <linux/types.h>

/* get and put: under the lock of all sessions. */
int memprof_growth_get(void);
void memprof_growth_put(void);
bool memprof_growth_available(void);
unsigned long memprof_growth_missed(void);

#endif
