/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler-library: recognises libmemprof among the binaries of a process
 *
 * The real allocator is called from it, so it is in stacks of other events. It is
 * never the callsite of its caller's memory. A stack that begins in it is its own.
 */
#ifndef MP_SAMPLER_LIBRARY_H
#define MP_SAMPLER_LIBRARY_H

#include <stdbool.h>

/** mp_sampler_library_is - whether the path of a binary is libmemprof's */
bool mp_sampler_library_is(const char *path);

#endif
