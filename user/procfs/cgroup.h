/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup: finds cgroup v2 directories, their ids and paths
 */
#ifndef MP_CGROUP_H
#define MP_CGROUP_H

#include "profile.h"

#include <limits.h>
#include <stdint.h>

/**
 * mp_cgroup_parse_mount - find the cgroup v2 mount in a line of mountinfo
 * @line: a line of /proc/self/mountinfo, see proc(5)
 * @mount: out: the mount point; PATH_MAX bytes
 *
 * Return: 1 if the line is a cgroup2 mount, 0 if not.
 */
int mp_cgroup_parse_mount(const char *line, char *mount);

/**
 * mp_cgroup_mount - find the mount point of cgroup v2
 * @mount: out: the mount point; PATH_MAX bytes
 *
 * Source: /proc/self/mountinfo, which is read again when that mount is gone. If there are
 * several mounts, the first one is used.
 *
 * Return: 0; -ENOENT if cgroup v2 is not mounted; another negative errno.
 */
int mp_cgroup_mount(char *mount);

/**
 * mp_cgroup_find - find a cgroup by a path that the user gave
 * @path: relative to the mount, with or without a leading slash; or an absolute
 *	path that begins with the mount point
 * @id: out: id of the cgroup, the inode number of its directory
 *
 * Return: 0; -ENOENT if cgroup v2 is not mounted or has no such directory;
 * -ENOTDIR; -EXDEV if the path is not in cgroup v2; another negative errno.
 */
int mp_cgroup_find(const char *path, uint64_t *id);

/**
 * mp_cgroup_path - find the path of a cgroup as /proc/PID/cgroup has it
 * @path: as for mp_cgroup_find()
 * @relative: out: the path; PATH_MAX bytes
 *
 * Return: 0; a negative errno as from mp_cgroup_find().
 */
int mp_cgroup_path(const char *path, char *relative);

/** mp_cgroup_is_below - whether a path of /proc/PID/cgroup is @above or below it */
bool mp_cgroup_is_below(const char *path, const char *above);

/**
 * mp_cgroup_resolve - find the paths of all cgroups that rows refer to
 *
 * The function walks the hierarchy only if a path is not known yet. The path of a
 * removed cgroup stays unknown. If cgroup v2 is not mounted, no path is found; this
 * is not an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_cgroup_resolve(struct mp_profile *profile);

/** mp_cgroup_name_all - add all cgroups' paths to a profile. Return: 0, or -ENOMEM */
int mp_cgroup_name_all(struct mp_profile *profile);

#endif
