// SPDX-License-Identifier: GPL-2.0-only
/*
 * dump: prints each record of a recording, and reports an invalid file
 */
#include "command.h"
#include "dump.h"
#include "message.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

struct request {
	const char *input;
};

static const struct mp_option options[] = {
	{ 'i', "input", "FILE", NULL, "default memprof.data",
	  MP_TEXT(struct request, input) },
	MP_OPTION_HELP,
	{ 0 },
};

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = { .input = "memprof.data" };
	char why[MP_PERF_FILE_WHY_SIZE] = "";
	int status = mp_command_parse(command, argc, argv, &request);
	int err;

	if (status != MP_PARSED)
		return status;
	err = mp_dump(request.input, stdout, why);
	if (err == -EBADMSG)
		return mp_fail(0, NULL, "%s: %s", request.input, why);
	return err ? mp_fail(err, NULL, "cannot read %s", request.input) : 0;
}

const struct mp_command mp_cmd_dump = {
	.name = "dump",
	.summary = "print every record of a recording",
	.usage = "[-i FILE]",
	.options = options,
	.run = run,
};
