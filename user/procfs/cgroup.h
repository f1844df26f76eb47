/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup: cgroup v2 directories, their ids and paths
 */
#ifndef MP_CGROUP_H
#define MP_CGROUP_H

#include "profile.h"

#include <limits.h>
#include <stdint.h>

/**
 * mp_cgroup_parse_mount - find cgroup v2 in a line of mountinfo
 * @line: as in /proc/self/mountinfo, see proc(5)
 * @mount: out, PATH_MAX bytes: where it is mounted
 *
 * Return: 1 if the line is a cgroup2 mount, 0 if not.
 */
int mp_cgroup_parse_mount(const char *line, char *mount);

/**
 * mp_cgroup_mount - where cgroup v2 is mounted
 * @mount: out, PATH_MAX bytes
 *
 * Source: /proc/self/mountinfo; the first mount wins.
 *
 * Return: 0; -ENOENT where it is not mounted; another negative errno.
 */
int mp_cgroup_mount(char *mount);

/**
 * mp_cgroup_find - the cgroup that a user names
 * @path: below the mount, with or without a leading slash, or absolute with the
 *	mount itself in front
 * @id: out, the inode number of its directory
 *
 * Return: 0; -ENOENT where cgroup v2 is not mounted or has no such directory;
 * -ENOTDIR; -EXDEV where the path leads out of the mount; another negative
 * errno.
 */
int mp_cgroup_find(const char *path, uint64_t *id);

/**
 * mp_cgroup_resolve - name the cgroups of rows whose path is unknown
 *
 * Walks the hierarchy only if there are any. Cgroups that were removed stay
 * without a path, and so do all where there is no mount: not an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_cgroup_resolve(struct mp_profile *profile);

/** mp_cgroup_name_all - name every cgroup that there is. Return: 0, or -ENOMEM */
int mp_cgroup_name_all(struct mp_profile *profile);

#endif
