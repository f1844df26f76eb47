/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shot: a profile as it was taken, to be arranged again and again
 */
#ifndef MP_PROFILE_COPY_H
#define MP_PROFILE_COPY_H

#include "size-record.h"

#include <stddef.h>

/**
 * struct mp_profile_copy - all zero is none
 * @text: of all its rows
 * @size: bytes
 * @sizes: of processes and cgroups that a recording has
 * @of_file: it has them
 */
struct mp_profile_copy {
	char *text;
	size_t size;
	struct mp_sizes sizes;
	bool of_file;
};

/**
 * mp_profile_copy_take - take one in place of what is there
 * @path: of a recording; NULL: of the session that runs
 *
 * Return: 0, or an exit status and a message was printed: the old one stays.
 */
int mp_profile_copy_take(struct mp_profile_copy *copy, const char *path);

/**
 * mp_profile_copy_read - its rows, as they were
 * @profile: out; all zero when called; to be freed in any case
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_copy_read(const struct mp_profile_copy *copy, struct mp_profile *profile);

/** mp_profile_copy_free - free all; none is left afterwards */
void mp_profile_copy_free(struct mp_profile_copy *copy);

#endif
