// SPDX-License-Identifier: GPL-2.0-only
#include "counter.h"
#include <linux/cpumask.h>
#include <linux/string.h>

/* In the order of enum memprof_count. */
static const char *const count_names[MEMPROF_NR_COUNTS] = {
#define X(id, name) name,
	MEMPROF_COUNTERS(X)
#undef X
};

/**
 * memprof_counts_read() - add up the counters of all CPUs
 * @counts: counters of a session
 * @out: MEMPROF_NR_COUNTS rows to fill
 */
void memprof_counts_read(struct memprof_counts __percpu *counts,
			 struct memprof_counter *out)
{
	int i, cpu;

	for (i = 0; i < MEMPROF_NR_COUNTS; i++) {
		memset(&out[i], 0, sizeof(out[i]));
		strscpy(out[i].name, count_names[i], sizeof(out[i].name));
		for_each_possible_cpu(cpu)
			out[i].value +=
				READ_ONCE(per_cpu_ptr(counts, cpu)->value[i]);
	}
}
