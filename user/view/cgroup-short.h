/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-short: shortens cgroup paths for tables
 */
#ifndef MP_CGROUP_SHORT_H
#define MP_CGROUP_SHORT_H

#include "cgroup-names.h"

#include <stdbool.h>

/**
 * mp_cgroup_short - remove what systemd, Docker and Kubernetes add to a path
 * @buf: out
 * @size: bytes of @buf, at least 1
 * @path: printable, from the root of the hierarchy
 * @whole: keep all components, and shorten only ids
 *
 * Container ids are cut to 12 digits and pod uids to 8. Slices that contain a
 * service or scope are removed; a user's slice becomes "user-N/". Escapes such
 * as \x2d are decoded. Other paths do not change.
 */
void mp_cgroup_short(char *buf, size_t size, const char *path, bool whole);

/**
 * mp_cgroup_shown - the shortest of these forms that no other cgroup has
 * @names: all cgroups
 */
void mp_cgroup_shown(char *buf, size_t size, const char *path,
		     const struct mp_cgroup_names *names);

/* Size of the buffers for paths. Longer paths are cut. */
#define MP_CGROUP_SHORT_SIZE	1024

#endif
