/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mmap-hooks.h: tells whether mappings are sampled.
 */
#ifndef MEMPROF_MMAP_HOOKS_H
#define MEMPROF_MMAP_HOOKS_H

/* 1 if MEMPROF_MMAP asks for samples of mappings. Written once, before main(). */
extern int mp_mmap_wanted __attribute__((visibility("hidden")));

#endif
