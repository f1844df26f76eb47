// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent-outlook: a line for each part of the configuration that is in use
 */
#include "agent-outlook.h"
#include "cgroup.h"
#include "human.h"
#include "message.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void warn_of_machine(const struct mp_agent_config *config)
{
	const struct mp_targets *targets = &config->options.targets;
	char parent[PATH_MAX];
	unsigned int i;
	uint64_t id;

	for (i = 0; i < targets->nr; i++)
		if (targets->list[i].kind == MEMPROF_TARGET_CGROUP && targets->list[i].text &&
		    mp_cgroup_find(targets->list[i].text, &id))
			mp_warn("the agent would not start", "there is no cgroup %s now",
				targets->list[i].text);
	if (config->options.source == MP_SOURCE_KMOD && access(MEMPROF_DEVICE, F_OK))
		mp_warn("the agent would not start", "the module is not loaded now");
	strcpy(parent, config->folder);
	*strrchr(parent, '/') = '\0';
	if (access(config->folder, F_OK) && *parent && access(parent, F_OK))
		mp_warn("the agent makes only the last folder of the path",
			"there is no folder %s now", parent);
}

void mp_agent_outlook(const struct mp_agent_config *config)
{
	const struct mp_record_options *options = &config->options;
	char text[MP_TARGETS_SIZE], span[MP_HUMAN_SIZE], rate[MP_HUMAN_SIZE];

	warn_of_machine(config);
	mp_targets_describe(&options->targets, text);
	printf("follows:   %s\n", text);
	printf("allocs:    ");
	if (options->alloc == MP_ALLOC_OFF)
		puts("off");
	else if (options->start.alloc_rate == 1)
		puts("each one");
	else
		printf("1 per %s bytes%s\n", mp_human_bytes(rate, options->start.alloc_rate),
		       options->inject ? ", by a library that is put into the targets" : "");
	printf("history:   a snapshot every %s in %s\n",
	       mp_human_span(span, config->interval_ms * 1000000), config->folder);
	if (config->listen[0])
		printf("numbers:   at %s\n", config->listen);
	if (config->textfile[0])
		printf("numbers:   in %s\n", config->textfile);
	if (config->push.url[0])
		printf("profiles:  to %s, as %s\n", config->push.url,
		       mp_push_format_names[config->push.format]);
}
