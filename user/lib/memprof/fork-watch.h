/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fork-watch.h: tells whether the region belongs to this process or to its parent.
 */
#ifndef MEMPROF_FORK_WATCH_H
#define MEMPROF_FORK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

int mp_process_begin(const char *pattern, uint64_t rate, bool active);
bool mp_process_ours(void);
bool mp_process_claim(void);

/*
 * glibc's function behind pthread_atfork(), which is linked statically into its
 * caller.
 */
#ifdef __GLIBC__
extern void *__dso_handle __attribute__((visibility("hidden")));
int __register_atfork(void (*prepare)(void), void (*parent)(void),
		      void (*child)(void), void *dso);
#endif

#endif
