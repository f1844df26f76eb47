// SPDX-License-Identifier: GPL-2.0-only
/*
 * wish: options of start and record
 *
 * Prints what is wrong with them; does nothing else.
 */
#include "record-options.h"
#include "message.h"

#include <string.h>

/* Of a thread's stack: enough for some twenty frames, and what perf can take. */
#define DEFAULT_STACK	8192
#define MAX_STACK	65528

void mp_record_options_init(struct mp_record_options *options, const char *verb)
{
	*options = (struct mp_record_options){
		.verb = verb,
		.targets.verb = verb,
		.targets.children = true,
		.start.flags = MEMPROF_START_FAULTS | MEMPROF_START_GROWTH,
	};
}

static int take_alloc(struct mp_record_options *options, const char *value)
{
	uint64_t rate = 1;

	options->alloc = MP_ALLOC_ON;
	if (!strcmp(value, "off"))
		options->alloc = MP_ALLOC_OFF;
	else if (strcmp(value, "exact") &&
		 !mp_command_bytes(value, 1, MEMPROF_MAX_RATE, &rate))
		return mp_misuse(options->verb,
				 "--alloc takes exact, off, or bytes such as 512K, not '%s'",
				 value);
	options->start.alloc_rate = rate;
	return 0;
}

static int take_call_graph(struct mp_record_options *options, const char *value)
{
	uint64_t bytes = DEFAULT_STACK;

	if (!strcmp(value, "fp") || !strcmp(value, "no")) {
		options->chain = *value == 'f' ? MP_CHAIN_FP : MP_CHAIN_NONE;
		return 0;
	}
	if (strncmp(value, "dwarf", 5) || (value[5] && value[5] != ',') ||
	    (value[5] && (!mp_command_bytes(value + 6, 8, MAX_STACK, &bytes) ||
			  bytes % 8)))
		return mp_misuse(options->verb,
				 "--call-graph takes fp, no, or dwarf[,BYTES] with a multiple of 8 up to %d, not '%s'",
				 MAX_STACK, value);
	options->chain = MP_CHAIN_DWARF;
	options->stack_bytes = (uint32_t)bytes;
	return 0;
}

static int take_faults(struct mp_record_options *options, const char *value)
{
	struct memprof_start *start = &options->start;
	uint64_t period = 0;

	start->flags &= ~MEMPROF_START_FAULTS;
	start->minor_period = 0;
	if (!strcmp(value, "off"))
		return 0;
	if (!mp_command_number(value, 1, MEMPROF_MAX_PERIOD, &period))
		return mp_misuse(options->verb,
				 "--faults takes off or a period from 1 to %u, not '%s'",
				 MEMPROF_MAX_PERIOD, value);
	start->flags |= MEMPROF_START_FAULTS;
	start->minor_period = period;
	return 0;
}

static int take_growth(struct mp_record_options *options, const char *value)
{
	struct memprof_start *start = &options->start;

	if (strcmp(value, "on") && strcmp(value, "off"))
		return mp_misuse(options->verb, "--growth takes on or off, not '%s'",
				 value);
	start->flags &= ~MEMPROF_START_GROWTH;
	if (!strcmp(value, "on"))
		start->flags |= MEMPROF_START_GROWTH;
	return 0;
}

static int take_max_processes(struct mp_record_options *options, const char *value)
{
	uint64_t max;

	if (!mp_command_number(value, 1, MEMPROF_MAX_PROCESSES, &max))
		return mp_misuse(options->verb,
				 "--max-processes takes a number from 1 to %u, not '%s'",
				 MEMPROF_MAX_PROCESSES, value);
	options->start.max_processes = max;
	return 0;
}

static int take_source(struct mp_record_options *options, const char *value)
{
	enum mp_source source;

	for (source = 0; source < MP_NR_SOURCES; source++) {
		if (strcmp(value, mp_source_name(source)))
			continue;
		options->source = source;
		return 0;
	}
	return mp_misuse(options->verb,
			 "--source takes auto, kmod, perf or smaps, not '%s'",
			 value);
}

int mp_record_options_take(struct mp_record_options *options, int code, const char *value)
{
	switch (code) {
	case 'a':
		return mp_targets_take(&options->targets, MEMPROF_TARGET_ALL,
				       "");
	case 'p':
		return mp_targets_take(&options->targets,
				       MEMPROF_TARGET_PROCESS, value);
	case 'G':
		return mp_targets_take(&options->targets,
				       MEMPROF_TARGET_CGROUP, value);
	case MP_WISH_COMM:
		return mp_targets_take(&options->targets, MEMPROF_TARGET_COMM,
				       value);
	case MP_WISH_NO_CHILDREN:
		options->targets.children = false;
		return 0;
	case MP_WISH_FAULTS:
		return take_faults(options, value);
	case MP_WISH_GROWTH:
		return take_growth(options, value);
	case MP_WISH_ALLOC:
		return take_alloc(options, value);
	case MP_WISH_ALLOC_ALL:
		options->alloc_all = true;
		return 0;
	case MP_WISH_ALLOC_FN:
		return mp_alloc_fn_take(&options->functions, options->verb, value);
	case MP_WISH_MAX_PROCESSES:
		return take_max_processes(options, value);
	case MP_WISH_SOURCE:
		return take_source(options, value);
	case MP_WISH_CALL_GRAPH:
		return take_call_graph(options, value);
	}
	return 0;
}

/* -a is dear with allocations: it takes a word of its own. */
static int check_alloc(const struct mp_record_options *options)
{
	bool all = options->targets.list[0].kind == MEMPROF_TARGET_ALL;

	if (options->alloc_all && !all)
		return mp_misuse(options->verb,
				 "--alloc-all is for every process: no target goes with it");
	if (options->alloc_all && options->alloc == MP_ALLOC_OFF)
		return mp_misuse(options->verb,
				 "--alloc-all and --alloc off contradict each other");
	if (options->alloc == MP_ALLOC_ON && all && !options->alloc_all)
		return mp_misuse(options->verb,
				 "--alloc slows every allocation of its targets: choose them with -p, -G or --comm, or say --alloc-all");
	return 0;
}

int mp_record_options_close(struct mp_record_options *options)
{
	int status = mp_targets_close(&options->targets);

	return status ? status : check_alloc(options);
}

bool mp_record_options_allocs(const struct mp_record_options *options)
{
	if (options->alloc == MP_ALLOC_DEFAULT)
		return options->alloc_all ||
		       options->targets.list[0].kind != MEMPROF_TARGET_ALL;
	return options->alloc == MP_ALLOC_ON;
}
