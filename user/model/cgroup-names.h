/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-names: paths of cgroups by their id
 *
 * One copy of each path, however many processes share it.
 */
#ifndef MP_CGROUP_NAMES_H
#define MP_CGROUP_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct mp_cgroup_name {
	uint64_t id;
	char *path;
};

/**
 * struct mp_cgroup_names - a hash table; all zero is an empty one
 * @slots: open addressing; a slot without a path is free
 * @nr_slots: a power of two, or 0
 * @nr: paths held
 */
struct mp_cgroup_names {
	struct mp_cgroup_name *slots;
	size_t nr_slots;
	size_t nr;
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

/** mp_cgroup_names_free - free all; the table is empty afterwards */
void mp_cgroup_names_free(struct mp_cgroup_names *names);

#endif
