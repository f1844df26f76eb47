// SPDX-License-Identifier: GPL-2.0-only
/*
 * stop: ends the session
 *
 * It returns after all probes are removed and the collector has closed the
 * device. Then another session can start. The tallies are lost: use report
 * before.
 */
#include "command.h"
#include "counter.h"
#include "human.h"
#include "request.h"

#include <inttypes.h>
#include <stdio.h>

static const struct mp_option options[] = {
	MP_OPTION_QUIET(struct mp_request_flag, given),
	MP_OPTION_HELP,
	{ 0 },
};

static uint64_t count_lost(const struct mp_profile *profile)
{
	const struct mp_counter *counter;
	uint64_t sum = 0;

	for (counter = profile->counters;
	     counter < profile->counters + profile->nr_counters; counter++)
		if (mp_counter_info(counter->name)->class == MP_COUNTER_LOSS)
			sum += counter->value;
	return sum;
}

static void print_metric(enum mp_metric metric, const struct mp_total *total)
{
	char buf[MP_HUMAN_SIZE];

	printf(", %s %s", mp_metrics[metric].heading,
	       mp_human_metric(buf, metric, total->value[metric], false));
}

static void print_stopped(struct mp_profile *profile, bool quiet)
{
	const struct memprof_status *status = &profile->meta.status;
	struct mp_total total;
	char span[MP_HUMAN_SIZE];

	if (quiet)
		return;
	mp_profile_merge(profile);
	mp_profile_total(profile, MP_ROW_PROCESS, &total);
	printf("stopped session %u after %s: %zu processes", status->session,
	       mp_human_span(span, status->stop_ns > status->start_ns ?
			     status->stop_ns - status->start_ns : 0),
	       total.nr_named);
	if (status->streams & MEMPROF_START_FAULTS) {
		print_metric(MP_MINOR_FAULTS, &total);
		print_metric(MP_MAJOR_FAULTS, &total);
	}
	if (status->streams & MEMPROF_START_ALLOC) {
		print_metric(MP_ALLOC_OBJECTS, &total);
		print_metric(MP_ALLOC_SPACE, &total);
		print_metric(MP_INUSE_SPACE, &total);
	}
	if (status->streams & MEMPROF_START_GROWTH) {
		print_metric(MP_BRK_UP, &total);
		print_metric(MP_MMAP_UP, &total);
		print_metric(MP_GROWTH, &total);
	}
	printf(", lost %" PRIu64 "\n", count_lost(profile));
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	return mp_request_run(command, argc, argv, print_stopped);
}

const struct mp_command mp_cmd_stop = {
	.name = "stop",
	.summary = "end the session and discard its tallies",
	.usage = "[-q]",
	.options = options,
	.run = run,
};
