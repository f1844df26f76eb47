// SPDX-License-Identifier: GPL-2.0-only
/*
 * help: prints the usage of a verb, and words for shell completion
 */
#include "command.h"
#include "help.h"
#include "java-script.h"
#include "message.h"
#include "metric-help.h"
#include "node-script.h"
#include "python-script.h"
#include "usage.h"

#include <getopt.h>
#include <string.h>

struct request {
	bool complete;
	bool all;
};

static const struct mp_option options[] = {
	{ 0, "complete", NULL, NULL,
	  "words that may follow [VERB [OPTION]], for shells",
	  MP_FLAG(struct request, complete) },
	{ 0, "help-all", NULL, NULL, "of a verb: all of its options",
	  MP_FLAG(struct request, all) },
	MP_OPTION_HELP,
	{ 0 },
};

static const struct {
	const char *name;
	void (*print)(void);
} topics[] = {
	{ "metrics", mp_metric_help_print },
	{ "languages", mp_usage_languages },
	{ "node", mp_node_script_print },
	{ "java", mp_java_script_print },
	{ "python", mp_python_script_print },
};

static int run(const struct mp_command *command, int argc, char **argv)
{
	const struct mp_command *about;
	struct request request = { 0 };
	int status = mp_command_parse(command, argc, argv, &request);
	int nr = argc - optind;
	size_t i;

	if (status != MP_PARSED)
		return status;
	if (request.complete) {
		mp_help_complete(nr > 0 ? argv[optind] : NULL,
				 nr > 1 ? argv[optind + 1] : NULL);
		return 0;
	}
	if (nr > 1)
		return mp_misuse("help", "unexpected argument '%s'",
				 argv[optind + 1]);
	if (!nr) {
		mp_help_program();
		return 0;
	}
	for (i = 0; i < sizeof(topics) / sizeof(*topics); i++) {
		if (strcmp(argv[optind], topics[i].name))
			continue;
		topics[i].print();
		return 0;
	}
	about = mp_command_find(argv[optind]);
	if (!about)
		return mp_misuse(NULL, "unknown verb '%s'", argv[optind]);
	mp_usage_print(about, request.all);
	return 0;
}

const struct mp_command mp_cmd_help = {
	.name = "help",
	.summary = "show the verbs, what one takes, metrics, languages, scripts for node, java, Python",
	.usage = "[VERB|metrics|languages|node|java|python]",
	.options = options,
	.nr_operands = 2,
	.run = run,
};
