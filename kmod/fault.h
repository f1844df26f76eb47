/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: one perf kernel counter per CPU and kind, sampled by period. */
#ifndef _MEMPROF_FAULT_H
#define _MEMPROF_FAULT_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct memprof_session;
struct memprof_fault_cpu;

struct memprof_faults {
	struct memprof_fault_cpu __percpu *cpus;	/* NULL: stream is off */
	struct work_struct sync;	/* brings counters in step with CPUs */
	struct mutex lock;		/* START and the work both do that */
};

int memprof_faults_begin(struct memprof_session *s);
void memprof_faults_end(struct memprof_session *s);

int memprof_fault_init(void);
void memprof_fault_exit(void);

#endif
