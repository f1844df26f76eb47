// SPDX-License-Identifier: GPL-2.0-only
/*
 * existing: records for the targets that existed before perf's events were opened
 */
#include "existing.h"
#include "process.h"

struct walk {
	const struct mp_perf_synth *synth;
	const struct mp_prober *filter;
	int err;
};

static void write_process(void *context, pid_t pid)
{
	struct walk *walk = context;

	if (!walk->err && mp_prober_wants(walk->filter, pid))
		walk->err = mp_perf_synth_process(walk->synth, pid);
}

int mp_existing_write(const struct mp_perf_synth *synth,
		      const struct mp_prober *prober)
{
	struct walk walk = { .synth = synth, .filter = prober };

	return mp_process_each(write_process, &walk) ?: walk.err ?:
	       mp_perf_synth_cgroups(synth);
}
