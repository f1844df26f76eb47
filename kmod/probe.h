/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes: uprobes on the allocators that user space found. */
#ifndef _MEMPROF_PROBE_H
#define _MEMPROF_PROBE_H

#include <linux/list.h>
#include <linux/workqueue.h>
#include <uapi/linux/memprof.h>
#include "compat/uprobes.h"

struct memprof_session;

/* A place in a file where an allocator function begins, or nearly. */
struct memprof_point {
	struct list_head list;		/* session's mutex */
	struct memprof_session *session;
	struct uprobe_consumer consumer;
	struct memprof_uprobe uprobe;
	struct inode *inode;		/* holds it, and its file system */
	loff_t offset, ref_ctr_offset;
	u32 func;
	bool placed;
	struct memprof_probe_arg args[3];
};

struct memprof_probes {
	struct list_head list;		/* session's mutex */
	u32 nr;
	struct mutex *lock;		/* session's mutex */
	struct delayed_work refilter;
};

void memprof_probes_init(struct memprof_probes *probes, struct mutex *lock);
void memprof_probes_refilter(struct memprof_probes *probes);

int memprof_probe_add(struct memprof_session *s,
		      const struct memprof_probe *arg);
int memprof_probes_begin(struct memprof_session *s);
void memprof_probes_end(struct memprof_session *s);
void memprof_probes_free(struct memprof_session *s);

#endif
