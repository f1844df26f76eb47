/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults: page faults of targets, sampled by perf counters of the kernel. */
#ifndef _MEMPROF_FAULT_H
#define _MEMPROF_FAULT_H

struct memprof_stream_ops;

extern const struct memprof_stream_ops memprof_fault_stream;

#endif
