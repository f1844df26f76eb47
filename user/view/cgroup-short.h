/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-short: paths of cgroups as a table has room for them
 */
#ifndef MP_CGROUP_SHORT_H
#define MP_CGROUP_SHORT_H

#include "cgroup-names.h"

#include <stdbool.h>

/**
 * mp_cgroup_short - leave out what systemd, Docker and Kubernetes add
 * @buf: out
 * @size: bytes there, at least 1
 * @path: printable, from the root of the hierarchy
 * @whole: leave out no component, shorten only those that are there
 *
 * Container ids are cut to 12 digits and pod uids to 8, slices that lead to a
 * service or scope are left out but for a user's, which is "user-N/"; \x2d and
 * its like are what they stand for. Other paths stay as they are.
 */
void mp_cgroup_short(char *buf, size_t size, const char *path, bool whole);

/**
 * mp_cgroup_shown - the shortest of these that no other cgroup has
 * @names: the others
 */
void mp_cgroup_shown(char *buf, size_t size, const char *path,
		     const struct mp_cgroup_names *names);

/* Room for any path that is looked at; longer ones are cut. */
#define MP_CGROUP_SHORT_SIZE	1024

#endif
