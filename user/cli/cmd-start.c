// SPDX-License-Identifier: GPL-2.0-only
/*
 * start: starts a session that goes on in the background
 */
#include "command.h"
#include "human.h"
#include "record-arguments.h"
#include "session-start.h"

#include <stdio.h>

struct request {
	struct mp_record_options options;
	bool quiet;
};

static const struct mp_option options[] = {
	MP_RECORD_OPTIONS(struct request, options),
	MP_OPTION_QUIET(struct request, quiet),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

static void print_alloc(const struct mp_alloc_meta *alloc, uint32_t streams)
{
	char rate[MP_HUMAN_SIZE];

	if (!(streams & MEMPROF_START_ALLOC))
		printf("no allocations");
	else if (alloc->rate == 1)
		printf("every allocation (%u probes)", alloc->nr_probes);
	else
		printf("1 allocation per %s bytes (%u probes)",
		       mp_human_bytes(rate, alloc->rate), alloc->nr_probes);
}

static void print_started(const struct mp_meta *meta)
{
	const struct memprof_status *status = &meta->status;

	printf("started session %u: %s; ", status->session, meta->targets);
	if (meta->source == MP_SOURCE_SMAPS) {
		puts("sizes only; source smaps");
		return;
	}
	if (status->streams & MEMPROF_START_FAULTS)
		printf("1 of %u minor and 1 of %u major faults, ",
		       status->minor_period, status->major_period);
	else
		printf("no faults, ");
	printf("%s growth, ", status->streams & MEMPROF_START_GROWTH ? "all" :
								       "no");
	print_alloc(&meta->alloc, status->streams);
	printf("; source %s\n", mp_source_name(meta->source));
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = { 0 };
	struct mp_meta meta;
	int status;

	mp_record_options_init(&request.options);
	status = mp_command_parse(command, argc, argv, &request);
	if (status != MP_PARSED)
		return status;
	status = mp_record_arguments_check(&request.options, "start") ?:
		 mp_session_start("start", &request.options, false, &meta);
	if (!status && !request.quiet)
		print_started(&meta);
	return status;
}

const struct mp_command mp_cmd_start = {
	.heading = "a session that goes on; report, top and export show it:",
	.name = "start",
	.summary = "start a session in the background",
	.usage = "[-a | -p PID... -G CGROUP... --comm NAME...] [OPTION]...",
	.options = options,
	.run = run,
};
