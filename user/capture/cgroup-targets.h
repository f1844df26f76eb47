/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-targets: the cgroups whose tasks perf's events record
 */
#ifndef MP_CGROUP_TARGETS_H
#define MP_CGROUP_TARGETS_H

#include "perf-rings.h"
#include "targets.h"

/**
 * struct mp_cgroup_targets - the folders of target cgroups, by their paths
 * @paths: absolute path of each target's folder
 * @rings: its @ids are the open folders, in the same order
 * @old: folders that were removed, open for one more turn; -1: none
 * @watch: inotify descriptor that reports new folders, in @rings->poll_fd, or -1
 * @nr_anew: times that a folder was found to be another one than before
 */
struct mp_cgroup_targets {
	char **paths;
	struct mp_perf_rings *rings;
	int *old;
	int watch;
	size_t nr_anew;
};

/**
 * mp_cgroup_targets_open - open the folders of all targets
 * @cgroups: zeroed
 * @rings: not open yet; gets scope, ids and nr_ids
 * @targets: all are cgroups
 *
 * Return: 0, or a negative errno with the reason in @diag. Call
 * mp_cgroup_targets_close() in any case.
 */
int mp_cgroup_targets_open(struct mp_cgroup_targets *cgroups,
			   struct mp_perf_rings *rings,
			   const struct mp_targets *targets,
			   struct mp_diag *diag);

/**
 * mp_cgroup_targets_watch - let the rings' poll_fd report new folders, too
 *
 * Without memory or inotify, new folders are found later, by
 * mp_cgroup_targets_work(). Does nothing when no targets were opened.
 */
void mp_cgroup_targets_watch(struct mp_cgroup_targets *cgroups);

/**
 * mp_cgroup_targets_work - follow the cgroups that were removed and made anew
 *
 * A stat() per target. The removed folder stays open until the next call, when the
 * caller has described the new folder's processes: whoever sees it closed, as tests do,
 * knows that everything is done.
 *
 * Return: 0, or the negative errno of an event that could not be opened again.
 */
int mp_cgroup_targets_work(struct mp_cgroup_targets *cgroups);

/** mp_cgroup_targets_close - close all folders; zeroed is fine */
void mp_cgroup_targets_close(struct mp_cgroup_targets *cgroups);

#endif
