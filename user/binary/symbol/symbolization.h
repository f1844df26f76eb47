/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbolization: finds the symbols of a profile's frames
 */
#ifndef MP_SYMBOLIZATION_H
#define MP_SYMBOLIZATION_H

#include "profile.h"
#include "symbolise.h"

/**
 * mp_symbolize_frames - find symbols in binaries, in perf-PID.map for generated
 * code, and in /proc/kallsyms for the kernel
 * @options: how to find symbols
 * @progress: called from time to time with a value from 0 to 1; or NULL
 *
 * Frames that were looked up before are skipped. If a file was removed or
 * replaced, or cannot be read, its frames have no symbols, unless they are in
 * the cache or in a debug file.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_symbolize_frames(struct mp_profile *profile,
			const struct mp_symbolise_options *options,
			void (*progress)(double done));

#endif
