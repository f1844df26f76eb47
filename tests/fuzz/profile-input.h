/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile-input: an input as a profile
 */
#ifndef FUZZ_PROFILE_INPUT_H
#define FUZZ_PROFILE_INPUT_H

#include "arrange.h"
#include "input.h"
#include "writer.h"

/**
 * profile_read - read lines of JSON, and after a NUL names of functions
 * @profile: must be empty; to be freed. Each frame gets one of the names
 *
 * As in a tally of a recording, or in an answer of the collector. The reader
 * stops at a line that is wrong, and what it has read until then is shown.
 */
void profile_read(struct mp_profile *profile, const struct input *input);

/**
 * profile_arrange - make the rows of a report
 * @kind: of the rows
 * @keys: MP_GROUP_* bits
 *
 * Return: false without memory.
 */
bool profile_arrange(struct mp_profile *profile, enum mp_row_kind kind,
		     unsigned int keys);

#endif
