/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names: each text once, by number
 */
#ifndef MP_NAMES_H
#define MP_NAMES_H

#include "map.h"

#define MP_NAMES_NONE	UINT32_MAX

/**
 * struct mp_names - the texts; all zero is none
 * @list: by number
 * @nr: how many
 */
struct mp_names {
	char **list;
	size_t nr;
	size_t max;
	struct mp_map by_hash;
};

/**
 * mp_names_add - the number of a text, a new one if it is not known
 *
 * Return: the number, or MP_NAMES_NONE without memory.
 */
uint32_t mp_names_add(struct mp_names *names, const char *text);

/** mp_names_copy - make @to, which is empty, hold the same. Return: 0, or -ENOMEM */
int mp_names_copy(struct mp_names *to, const struct mp_names *from);

/** mp_names_free - free all; none is left afterwards */
void mp_names_free(struct mp_names *names);

#endif
