/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-short: short names of cgroups and of their containers, for tables
 */
#ifndef MP_CGROUP_SHORT_H
#define MP_CGROUP_SHORT_H

#include "profile.h"

#include <stdbool.h>

/**
 * mp_cgroup_short - remove what systemd, Docker and Kubernetes add to a path
 * @buf: out: the short path
 * @size: bytes of @buf, at least 1
 * @path: path from the root of the hierarchy, printable
 * @whole: keep all components, and only shorten ids
 *
 * Container ids are cut to 12 digits and pod uids to 8. Slices that contain another
 * cgroup are removed; a user's slice becomes "user-N/". Escapes such as \x2d are
 * decoded. Other paths do not change.
 */
void mp_cgroup_short(char *buf, size_t size, const char *path, bool whole);

/**
 * mp_container_shown - the short name of a container's cgroup
 * @profile: has the path of the cgroup, and what is known of its container
 * @id: id of the cgroup
 * @whole: with the pod's namespace, and the whole path below the container
 *
 * Writes "POD/CONTAINER (IMAGE)", "RUNTIME:CONTAINER (IMAGE)", "pod:POD" or "nspawn:MACHINE".
 *
 * Return: whether it is a container with a name; if not, @buf is unchanged.
 */
bool mp_container_shown(char *buf, size_t size, const struct mp_profile *profile, uint64_t id,
			bool whole);

/**
 * mp_cgroup_shown - the short name of a cgroup, other than those of all others
 * @id: id of a cgroup with a path
 *
 * This is mp_container_shown(), or else mp_cgroup_short(). @whole is set only if another
 * cgroup would be shown in the same way without it.
 */
void mp_cgroup_shown(char *buf, size_t size, const struct mp_profile *profile, uint64_t id);

/* Size of the buffers for paths. Longer paths are cut. */
#define MP_CGROUP_SHORT_SIZE	1024

#endif
