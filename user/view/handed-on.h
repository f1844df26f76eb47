/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * handed-on: Python's lines keep what other lines allocated
 */
#ifndef MP_HANDED_ON_H
#define MP_HANDED_ON_H

#include "fate.h"
#include "keepers.h"

/**
 * mp_is_in_library - whether the code of a callsite comes with a language, not with a program
 *
 * Source: the folder of its file.
 */
bool mp_is_in_library(const struct mp_profile *sites, const struct mp_row *row);

/**
 * mp_handed_on_find - find whether the blocks of a line of Python are another line's
 * @found: in: keeper; out: a better keeper with @handed_on, or @hands_on
 *
 * A pass over the rows.
 */
void mp_handed_on_find(struct mp_keepers *found, const struct mp_fates *fates);

/**
 * mp_handed_on_receiver - find who keeps what was handed on
 * @found: in: keeper; out: @is_anothers, @enlarger, and if it is early @hands_on
 *
 * A pass over the rows.
 */
void mp_handed_on_receiver(struct mp_keepers *found, const struct mp_fates *fates);

#endif
