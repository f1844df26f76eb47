// SPDX-License-Identifier: GPL-2.0-only
/*
 * reset: sets all numbers of the running session to zero
 */
#include "command.h"
#include "request.h"

#include <stdio.h>

static const struct mp_option options[] = {
	MP_OPTION_QUIET(struct mp_request_flag, given),
	MP_OPTION_HELP,
	{ 0 },
};

static void print_reset(struct mp_profile *profile, bool quiet)
{
	if (!quiet)
		printf("reset session %u\n", profile->meta.status.session);
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	return mp_request_run(command, argc, argv, print_reset);
}

const struct mp_command mp_cmd_reset = {
	.name = "reset",
	.summary = "set the tallies to zero; the session goes on",
	.usage = "[-q]",
	.options = options,
	.run = run,
};
