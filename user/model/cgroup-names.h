/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-names: maps ids of cgroups to their paths
 *
 * Each path is stored once, even if many processes are in the cgroup.
 */
#ifndef MP_CGROUP_NAMES_H
#define MP_CGROUP_NAMES_H

#include "map.h"

#include <stddef.h>
#include <stdint.h>

/**
 * struct mp_cgroup_names - the paths; all zero means empty
 * @ids: id of each path, in the order of addition
 * @paths: the paths, in the same order
 * @nr: number of paths
 * @by_id: id -> index of its path
 */
struct mp_cgroup_names {
	uint64_t *ids;
	char **paths;
	size_t nr, max;
	struct mp_map by_id;
};

/**
 * mp_cgroup_names_add - add a path
 * @id: inode number of the cgroup's directory; 0 is ignored
 * @path: copied and made printable; an empty path is ignored
 *
 * If the id already has a path, that path stays.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_cgroup_names_add(struct mp_cgroup_names *names, uint64_t id,
			const char *path);

/**
 * mp_cgroup_names_find - find the path of an id
 *
 * Return: the path, valid until the next add, or NULL.
 */
const char *mp_cgroup_names_find(const struct mp_cgroup_names *names,
				 uint64_t id);

/**
 * mp_cgroup_names_copy - copy everything to @to, which must be empty. Return: 0, or
 * -ENOMEM
 */
int mp_cgroup_names_copy(struct mp_cgroup_names *to,
			 const struct mp_cgroup_names *from);

/** mp_cgroup_names_free - free all memory; the object is empty afterwards */
void mp_cgroup_names_free(struct mp_cgroup_names *names);

#endif
