/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults: samples the page faults of targets with perf counters. */
#ifndef _MEMPROF_FAULT_H
#define _MEMPROF_FAULT_H

struct memprof_stream_ops;

extern const struct memprof_stream_ops memprof_fault_stream;

#endif
