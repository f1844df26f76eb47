/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-names: paths of cgroups by their id
 *
 * One copy of each path, however many processes share it.
 */
#ifndef MP_CGROUP_NAMES_H
#define MP_CGROUP_NAMES_H

#include "map.h"

#include <stddef.h>
#include <stdint.h>

/**
 * struct mp_cgroup_names - the paths; all zero is none
 * @ids: of the paths, in the order in which they came
 * @paths: likewise
 * @nr: how many
 * @by_id: where an id's path is
 */
struct mp_cgroup_names {
	uint64_t *ids;
	char **paths;
	size_t nr, max;
	struct mp_map by_id;
};

/**
 * mp_cgroup_names_add - remember a path
 * @names: where
 * @id: inode number of the cgroup's directory; 0 names none and is ignored
 * @path: copied, made printable; an empty one is ignored
 *
 * The first path of an id stays.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_cgroup_names_add(struct mp_cgroup_names *names, uint64_t id,
			const char *path);

/**
 * mp_cgroup_names_find - the path of an id
 *
 * Return: the path, valid until the next add, or NULL.
 */
const char *mp_cgroup_names_find(const struct mp_cgroup_names *names,
				 uint64_t id);

/** mp_cgroup_names_copy - make @to, which is empty, hold the same. Return: 0, or -ENOMEM */
int mp_cgroup_names_copy(struct mp_cgroup_names *to,
			 const struct mp_cgroup_names *from);

/** mp_cgroup_names_free - free all; the table is empty afterwards */
void mp_cgroup_names_free(struct mp_cgroup_names *names);

#endif
