/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names: stores each text once and gives it a number
 */
#ifndef MP_NAMES_H
#define MP_NAMES_H

#include "map.h"

#define MP_NAMES_NONE	UINT32_MAX

/**
 * struct mp_names - the texts; all zero means empty
 * @list: the texts, by number
 * @nr: number of texts
 */
struct mp_names {
	char **list;
	size_t nr;
	size_t max;
	struct mp_map by_hash;
};

/**
 * mp_names_add - find or add a text
 *
 * Return: its number, or MP_NAMES_NONE if memory is short.
 */
uint32_t mp_names_add(struct mp_names *names, const char *text);

/** mp_names_find - find a text. Return: its number, or MP_NAMES_NONE */
uint32_t mp_names_find(const struct mp_names *names, const char *text);

/** mp_names_copy - copy everything to @to, which must be empty. Return: 0, or -ENOMEM */
int mp_names_copy(struct mp_names *to, const struct mp_names *from);

/** mp_names_free - free all memory; the object is empty afterwards */
void mp_names_free(struct mp_names *names);

#endif
