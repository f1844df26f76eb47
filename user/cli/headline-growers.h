/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * headline-growers: sentences about processes that grew
 *
 * @text has MP_HINT_SIZE bytes, of hint.h.
 */
#ifndef MP_HEADLINE_GROWERS_H
#define MP_HEADLINE_GROWERS_H

#include "writer.h"

/**
 * mp_headline_grower - find who grew most
 * @profile: rows of processes
 *
 * Of those that have run for long, unless a younger one grew very much more.
 *
 * Return: its row, or NULL if none grew.
 */
const struct mp_row *mp_headline_grower(const struct mp_profile *profile);

/**
 * mp_headline_grew - write who grew most, and the command that shows who allocates in it
 *
 * Of processes whose allocations are not followed. What has just been started is large at once;
 * a leak is rather in what runs for longer.
 *
 * Return: whether it was written.
 */
bool mp_headline_grew(const struct mp_out *out, char *text);

/**
 * mp_headline_still - write that none of the processes grew
 *
 * Where no allocations are followed, that is the answer.
 *
 * Return: whether it was written.
 */
bool mp_headline_still(const struct mp_out *out, char *text);

/**
 * mp_headline_shrank - write that the only process gave memory back
 *
 * Return: whether it was written.
 */
bool mp_headline_shrank(const struct mp_out *out, const struct mp_row *process, char *text);

/**
 * mp_headline_also_grew - add the processes that grew by at least half as much as another one
 * @process: the other one, which the sentence is about
 * @text: the sentence
 */
void mp_headline_also_grew(const struct mp_out *out, const struct mp_row *process, char *text);

#endif
