/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nearest: finds the name that a user probably meant
 */
#ifndef MP_NEAREST_H
#define MP_NEAREST_H

#include <stddef.h>

/**
 * struct mp_nearest - a search for the name that is most like a word; initialise @word
 * @word: what the user typed
 * @name: the best name so far, or NULL
 * @distance: letters to insert, delete, change or swap that make @word of @name
 */
struct mp_nearest {
	const char *word;
	const char *name;
	size_t distance;
};

/**
 * mp_nearest_try - compare one more name
 *
 * A name that differs in more than one letter, and one more per four, is not meant.
 */
void mp_nearest_try(struct mp_nearest *nearest, const char *name);

#endif
