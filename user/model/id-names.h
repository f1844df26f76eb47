/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * id-names: maps ids to texts: paths of cgroups, command lines of processes
 *
 * Each text is stored once, even if many rows refer to it.
 */
#ifndef MP_ID_NAMES_H
#define MP_ID_NAMES_H

#include "map.h"

#include <stddef.h>
#include <stdint.h>

/**
 * struct mp_id_names - the texts; all zero means empty
 * @ids: id of each text, in the order of addition
 * @texts: the texts, in the same order
 * @nr: number of texts
 * @by_id: id -> index of its text
 */
struct mp_id_names {
	uint64_t *ids;
	char **texts;
	size_t nr, max;
	struct mp_map by_id;
};

/**
 * mp_id_names_add - add a text
 * @id: inode number of a cgroup's directory, or a process id; 0 is ignored
 * @text: copied and made printable; an empty text is ignored
 *
 * If the id already has a text, that text stays.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_id_names_add(struct mp_id_names *names, uint64_t id, const char *text);

/** mp_id_names_set - add a text, or replace the one that the id has. Return: 0, or -ENOMEM */
int mp_id_names_set(struct mp_id_names *names, uint64_t id, const char *text);

/**
 * mp_id_names_find - find the text of an id
 *
 * Return: the text, valid until the next add, or NULL.
 */
const char *mp_id_names_find(const struct mp_id_names *names, uint64_t id);

/**
 * mp_id_names_copy - copy everything to @to, which must be empty. Return: 0, or
 * -ENOMEM
 */
int mp_id_names_copy(struct mp_id_names *to, const struct mp_id_names *from);

/** mp_id_names_free - free all memory; the object is empty afterwards */
void mp_id_names_free(struct mp_id_names *names);

#endif
