// SPDX-License-Identifier: GPL-2.0-only
/*
 * status: shows the state of the session
 *
 * It sends one request to the collector. Without a session it fails, so a
 * script can test whether there is one.
 */
#include "command.h"
#include "footer.h"
#include "json.h"
#include "request.h"

#include <stdio.h>

static const struct mp_option options[] = {
	{ 'j', "json", NULL, NULL, "one JSON object",
	  MP_FLAG(struct mp_request_flag, given) },
	MP_OPTION_HELP,
	{ 0 },
};

static void print_status(const struct mp_meta *meta)
{
	const struct memprof_status *status = &meta->status;

	printf("target: %s\n", meta->targets);
	mp_footer_streams(stdout, meta);
	mp_footer_span(stdout, status);
	if (!status->max_processes)
		return;
	printf("tables: %u of %u processes, %u of %u cgroups",
	       status->nr_processes, status->max_processes, status->nr_cgroups,
	       status->max_cgroups);
	if (status->max_live)
		printf(", %u of %u callsites, %u of %u blocks",
		       status->nr_sites, status->max_sites, status->nr_live,
		       status->max_live);
	putchar('\n');
	mp_footer_failure(stdout, status);
}

static void show_status(struct mp_profile *profile, bool json)
{
	if (json)
		mp_json_status(stdout, &profile->meta);
	else
		print_status(&profile->meta);
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	return mp_request_run(command, argc, argv, show_status);
}

const struct mp_command mp_cmd_status = {
	.name = "status",
	.summary = "show the targets and streams of the running session",
	.usage = "[--json]",
	.options = options,
	.run = run,
};
