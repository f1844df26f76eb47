/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots: a copy of a session's tables, read by user space in pieces. */
#ifndef _MEMPROF_SNAPSHOT_H
#define _MEMPROF_SNAPSHOT_H

#include <linux/types.h>
#include <uapi/linux/memprof.h>

struct memprof_session;

struct memprof_copy {
	bool made;
	u32 nr_processes, nr_cgroups, nr_counters, nr_sites, nr_binaries;
	struct memprof_process *processes;
	struct memprof_cgroup *cgroups;
	struct memprof_counter *counters;
	struct memprof_site *sites;
	struct memprof_binary *binaries;
};

int memprof_snapshot_take(struct memprof_session *s,
			  struct memprof_snapshot *arg);
int memprof_snapshot_read(struct memprof_session *s, struct memprof_read *arg);
void memprof_copy_free(struct memprof_copy *c);
int memprof_row_copy(char __user *to, u32 to_size, const void *row, u32 size);

#endif
