// SPDX-License-Identifier: GPL-2.0-only
/*
 * nearest: finds the name that a user probably meant
 *
 * Two letters that were exchanged are one mistake (optimal string alignment).
 */
#include "nearest.h"

#include <string.h>

#define MAX_LETTERS	32

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance(const char *a, size_t nr_a, const char *b, size_t nr_b)
{
	size_t d[MAX_LETTERS + 1][MAX_LETTERS + 1], i, j;

	for (i = 0; i <= nr_a; i++)
		d[i][0] = i;
	for (j = 0; j <= nr_b; j++)
		d[0][j] = j;
	for (i = 1; i <= nr_a; i++) {
		for (j = 1; j <= nr_b; j++) {
			d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
					d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[nr_a][nr_b];
}

void mp_nearest_try(struct mp_nearest *nearest, const char *name)
{
	size_t nr_word = strlen(nearest->word), nr_name = strlen(name), found;

	if (nr_word > MAX_LETTERS || nr_name > MAX_LETTERS)
		return;
	found = distance(nearest->word, nr_word, name, nr_name);
	if (found > 1 + least(nr_word, nr_name) / 5 || found >= nr_name)
		return;
	if (nearest->name && found >= nearest->distance)
		return;
	nearest->name = name;
	nearest->distance = found;
}
