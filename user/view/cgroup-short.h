/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-short: shortens cgroup paths for tables
 */
#ifndef MP_CGROUP_SHORT_H
#define MP_CGROUP_SHORT_H

#include "id-names.h"

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
 * mp_cgroup_shown - shorten a path so that it differs from other cgroups' paths
 * @names: paths of all cgroups
 *
 * This is mp_cgroup_short(). @whole is set only if another cgroup's path would get
 * the same short form without it.
 */
void mp_cgroup_shown(char *buf, size_t size, const char *path,
		     const struct mp_id_names *names);

/* Size of the buffers for paths. Longer paths are cut. */
#define MP_CGROUP_SHORT_SIZE	1024

#endif
