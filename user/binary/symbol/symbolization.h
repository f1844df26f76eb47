/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * naming: what the frames of a profile are called
 */
#ifndef MP_SYMBOLIZATION_H
#define MP_SYMBOLIZATION_H

#include "profile.h"
#include "symbolise.h"

/**
 * mp_symbolize_frames - find names in binaries, of code that programs made in their
 * perf-PID.map, of the kernel's in /proc/kallsyms
 * @options: of symbols
 * @progress: told now and then how far it is, in 0 to 1; or NULL
 *
 * Frames that were looked up before keep what was found then.
 *
 * A file that is gone, was replaced or cannot be read leaves its frames without
 * names, unless the cache or a debug file knows them.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_symbolize_frames(struct mp_profile *profile,
		     const struct mp_symbolise_options *options,
		     void (*progress)(double done));

#endif
