/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mmap-hooks.h: tells whether mappings are sampled.
 */
#ifndef MEMPROF_MMAP_HOOKS_H
#define MEMPROF_MMAP_HOOKS_H

/*
 * True if MEMPROF_MMAP is 1: mappings are sampled. Written once, before main().
 */
extern int mp_mmap_wanted __attribute__((visibility("hidden")));

#endif
