// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile-copy: copies a profile array by array
 *
 * It costs as much memory as the profile: 440 bytes per row, and the names.
 * If memory is short, it returns -ENOMEM.
 */
#include "profile-copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Copies an array of @nr elements; sets *@err if memory is short. The copy has room for a
 * power of two, as the arrays of sites.c, which grow when their number is one.
 */
static void *copy_array(const void *from, size_t nr, size_t size, int *err)
{
	size_t room = 1;
	void *to;

	while (room < nr)
		room *= 2;
	to = nr ? reallocarray(NULL, room, size) : NULL;

	if (to)
		memcpy(to, from, nr * size);
	else if (nr)
		*err = -ENOMEM;
	return to;
}

#define COPY(to, from, array, nr_of, err) do {				\
	(to)->array = copy_array((from)->array, (from)->nr_of,		\
				 sizeof(*(from)->array), err);		\
	(to)->nr_of = (to)->array ? (from)->nr_of : 0;			\
} while (0)

int mp_profile_copy(struct mp_profile *to, const struct mp_profile *from)
{
	int err = 0;

	*to = (struct mp_profile){ .meta = from->meta };
	memcpy(to->series, from->series, sizeof(to->series));
	COPY(to, from, rows, nr_rows, &err);
	to->max_rows = to->nr_rows;
	COPY(to, from, counters, nr_counters, &err);
	COPY(to, from, binaries, nr_binaries, &err);
	COPY(to, from, histograms, nr_histograms, &err);
	COPY(to, from, warnings, nr_warnings, &err);
	return err ?: mp_id_names_copy(&to->names, &from->names) ?:
	       mp_names_copy(&to->hosts, &from->hosts) ?:
	       mp_containers_copy(&to->containers, &from->containers) ?:
	       mp_id_names_copy(&to->titles, &from->titles) ?:
	       mp_frames_copy(&to->frames, &from->frames) ?:
	       mp_symbols_copy_all(&to->symbols, &from->symbols);
}
