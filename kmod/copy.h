/* SPDX-License-Identifier: GPL-2.0-only */
/* A copy: the rows of a session's last snapshot, read by user space in pieces. */
#ifndef _MEMPROF_COPY_H
#define _MEMPROF_COPY_H

#include <linux/types.h>
#include <uapi/linux/memprof.h>

struct memprof_copy {
	bool made;
	u32 nr_processes, nr_cgroups, nr_counters, nr_sites, nr_binaries,
	    nr_blocks;
	struct memprof_process *processes;
	struct memprof_cgroup *cgroups;
	struct memprof_counter *counters;
	struct memprof_site *sites;
	struct memprof_binary *binaries;
	struct memprof_living_block *blocks;
};

void memprof_copy_free(struct memprof_copy *c);
int memprof_copy_read(const struct memprof_copy *c, struct memprof_read *arg);
int memprof_row_copy(char __user *to, u32 to_size, const void *row, u32 size);

#endif
