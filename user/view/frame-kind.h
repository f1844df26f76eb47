/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-kind: leaves functions of one kind in stacks: those of interpreted programs, or
 * native ones
 */
#ifndef MP_FRAME_KIND_H
#define MP_FRAME_KIND_H

#include "profile.h"

/**
 * mp_frame_is_interpreted - whether a frame is a function that an interpreter runs, by the
 * mark in its name
 */
bool mp_frame_is_interpreted(const struct mp_profile *profile,
			     const struct mp_frame *frame);

/**
 * mp_frame_kind_keep - remove the frames of the other kind from all stacks
 * @profile: with symbols
 * @interpreted: the kind that stays. A stack that has no frame of it stays as it is
 *
 * Return: 0, or -ENOMEM.
 */
int mp_frame_kind_keep(struct mp_profile *profile, bool interpreted);

/**
 * mp_frame_kind_trim - leave out how programs start
 * @profile: with symbols
 *
 * Stacks end at the outermost function of an interpreted program, if there are only functions
 * of the interpreter further outwards, which are a dozen. Others end at main(), or at the function of a thread, if the C
 * library has symbols.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_frame_kind_trim(struct mp_profile *profile);

#endif
