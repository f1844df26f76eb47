/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * container-names: finds the names of the containers of cgroups
 */
#ifndef MP_CONTAINER_NAMES_H
#define MP_CONTAINER_NAMES_H

#include "profile.h"

/* Path of the machine's root folder, if this process runs in a container. */
#define MP_CONTAINER_ROOT_ENV	"MEMPROF_HOST_ROOT"

/**
 * mp_container_names_find - name the containers of the cgroups of a profile
 * @profile: its cgroups have paths already (procfs/cgroup)
 *
 * What is known already stays. The runtimes' files are read in an isolated child, once for
 * all containers; without containers there is none. Files that could not be used are
 * counted in "container_refused", containers that were left out in "container_skipped".
 *
 * Source: see container-file.h.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_container_names_find(struct mp_profile *profile);

#endif
