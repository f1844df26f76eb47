/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes: installs uprobes on the allocator functions that user space found. */
#ifndef _MEMPROF_PROBE_H
#define _MEMPROF_PROBE_H

struct memprof_probe;
struct memprof_session;
struct mm_struct;
struct memprof_stream_ops;

extern const struct memprof_stream_ops memprof_alloc_stream;

int memprof_probe_add(struct memprof_session *s,
		      const struct memprof_probe *arg);
void memprof_probes_refilter(struct memprof_session *s, struct mm_struct *mm);

#endif
