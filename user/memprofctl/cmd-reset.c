// SPDX-License-Identifier: GPL-2.0-only
/*
 * reset: set the tallies of the running session to zero
 */
#include "command.h"
#include "request.h"

#include <stdio.h>

static const struct mp_option options[] = {
	{ 'q', "quiet", NULL, NULL, "print nothing on success" },
	MP_OPTION_HELP,
	{ 0 },
};

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct mp_profile profile = { 0 };
	bool quiet = false;
	int status = mp_command_parse(command, argc, argv,
				      mp_command_take_flag, &quiet);

	if (status != MP_PARSED)
		return status;
	status = mp_request("reset", &profile);
	if (!status && !quiet)
		printf("reset session %u\n", profile.meta.status.session);
	mp_profile_free(&profile);
	return status;
}

const struct mp_command mp_cmd_reset = {
	.name = "reset",
	.summary = "set the tallies to zero; the session goes on",
	.usage = "[-q]",
	.options = options,
	.run = run,
};
