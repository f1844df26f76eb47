// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay: what the engines make of a text log
 */
#include "command.h"
#include "heap-json.h"
#include "message.h"
#include "replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct mp_option options[] = {
	{ 'k', "kind", "heap", "heap",
	  "what the log tells of: allocator calls" },
	MP_OPTION_HELP,
	{ 0 },
};

static int take(void *context, int code, const char *value)
{
	const char **kind = context;

	(void)code;
	if (strcmp(value, "heap"))
		return mp_misuse("replay", "--kind takes heap, not '%s'", value);
	*kind = value;
	return 0;
}

static int replay_heap(const char *path, FILE *file)
{
	struct mp_replay replay = { 0 };
	int err, status = 0;

	mp_heap_init(&replay.heap);
	err = mp_replay_heap(&replay, file);
	if (err == -EBADMSG)
		status = mp_fail(0, NULL, "%s, line %zu: %s", path, replay.line,
				 replay.why);
	else if (err || mp_heap_json(stdout, &replay.heap, &replay.callsites))
		status = mp_fail(err ? err : -ENOMEM, NULL, "cannot replay %s",
				 path);
	mp_replay_free(&replay);
	return status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	const char *kind = NULL, *path;
	int status = mp_command_parse(command, argc, argv, take, &kind);
	FILE *file;

	if (status != MP_PARSED)
		return status;
	path = optind < argc ? argv[optind] : "-";
	if (!kind)
		return mp_misuse("replay", "--kind says what the log tells of");
	file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!file)
		return mp_fail(-errno, NULL, "cannot open %s", path);
	status = replay_heap(path, file);
	if (file != stdin)
		fclose(file);
	return status;
}

const struct mp_command mp_cmd_replay = {
	.name = "replay",
	.summary = "feed a text log to the engine and show what it made of it",
	.usage = "--kind heap FILE|-",
	.options = options,
	.nr_operands = 1,
	.run = run,
};
