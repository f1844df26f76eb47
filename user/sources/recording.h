/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording: a file as a source
 */
#ifndef MP_RECORDING_H
#define MP_RECORDING_H

#include "profile.h"

#define MP_RECORDING_WHY_SIZE	200

/**
 * mp_recording_profile - read a recording and add it up
 * @path: of a file of perf's or of memprofctl's
 * @bins: keep histograms
 * @progress: told now and then how far it is, in 0 to 1; or NULL
 * @profile: out; empty when called
 * @why: out, MP_RECORDING_WHY_SIZE bytes: what is wrong with the file
 *
 * What was read before a file's fault is in the profile, with a warning.
 *
 * Return: 0; -EBADMSG with @why, or another negative errno; the profile is to be
 * freed in any case.
 */
int mp_recording_profile(const char *path, bool bins,
			 void (*progress)(double done),
			 struct mp_profile *profile, char *why);

#endif
