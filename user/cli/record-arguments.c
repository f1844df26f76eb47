// SPDX-License-Identifier: GPL-2.0-only
/*
 * record-arguments: parses the common options of start and record
 *
 * A wrong value is reported.
 */
#include "record-arguments.h"
#include "alloc-fn.h"
#include "message.h"
#include "ready.h"

#include <limits.h>
#include <string.h>

/*
 * Bytes of stack per sample: enough for about twenty frames; and perf's limit.
 */
#define DEFAULT_STACK	8192
#define MAX_STACK	65528

int mp_target_argument(struct mp_targets *targets, const char *verb,
		       uint32_t kind, const char *value)
{
	struct mp_diag diag = { 0 };

	return mp_targets_add_option(targets, kind, value, &diag) ?
	       mp_message_diag(&diag, verb) : 0;
}

int mp_ready_argument(int *fd, const char *verb, const char *value)
{
	uint64_t number;

	if (!mp_command_number(value, MP_READY_MIN_FD, INT_MAX, &number) ||
	    !mp_ready_open((int)number))
		return mp_misuse(verb,
				 "--ready-fd takes a file descriptor from %d on that is open for writing, not '%s'",
				 MP_READY_MIN_FD, value);
	*fd = (int)number;
	return 0;
}

static int parse_alloc(struct mp_record_options *options,
		       const char *verb, const char *value)
{
	uint64_t rate = 1;

	options->alloc = MP_ALLOC_ON;
	if (!strcmp(value, "off"))
		options->alloc = MP_ALLOC_OFF;
	else if (strcmp(value, "exact") &&
		 !mp_command_bytes(value, 1, MEMPROF_MAX_RATE, &rate))
		return mp_misuse(verb,
				 "--alloc takes exact, off, or bytes such as 512K, not '%s'",
				 value);
	options->start.alloc_rate = rate;
	return 0;
}

static int parse_call_graph(struct mp_record_options *options,
			    const char *verb, const char *value)
{
	uint64_t bytes = DEFAULT_STACK;

	if (!strcmp(value, "fp") || !strcmp(value, "no")) {
		options->chain = *value == 'f' ? MP_CHAIN_FP : MP_CHAIN_NONE;
		return 0;
	}
	if (strncmp(value, "dwarf", 5) || (value[5] && value[5] != ',') ||
	    (value[5] && (!mp_command_bytes(value + 6, 8, MAX_STACK, &bytes) ||
			  bytes % 8)))
		return mp_misuse(verb,
				 "--call-graph takes fp, no, or dwarf[,BYTES] with a multiple of 8 up to %d, not '%s'",
				 MAX_STACK, value);
	options->chain = MP_CHAIN_DWARF;
	options->stack_bytes = (uint32_t)bytes;
	return 0;
}

static int parse_faults(struct mp_record_options *options,
			const char *verb, const char *value)
{
	struct memprof_start *start = &options->start;
	uint64_t period = 0;

	start->flags &= ~MEMPROF_START_FAULTS;
	start->minor_period = 0;
	if (!strcmp(value, "off"))
		return 0;
	if (!mp_command_number(value, 1, MEMPROF_MAX_PERIOD, &period))
		return mp_misuse(verb,
				 "--faults takes off or a period from 1 to %u, not '%s'",
				 MEMPROF_MAX_PERIOD, value);
	start->flags |= MEMPROF_START_FAULTS;
	start->minor_period = period;
	return 0;
}

static int parse_growth(struct mp_record_options *options,
			const char *verb, const char *value)
{
	struct memprof_start *start = &options->start;

	if (strcmp(value, "on") && strcmp(value, "off"))
		return mp_misuse(verb,
				 "--growth takes on or off, not '%s'",
				 value);
	start->flags &= ~MEMPROF_START_GROWTH;
	if (!strcmp(value, "on"))
		start->flags |= MEMPROF_START_GROWTH;
	return 0;
}

static int parse_max_processes(struct mp_record_options *options,
			       const char *verb, const char *value)
{
	uint64_t max;

	if (!mp_command_number(value, 1, MEMPROF_MAX_PROCESSES, &max))
		return mp_misuse(verb,
				 "--max-processes takes a number from 1 to %u, not '%s'",
				 MEMPROF_MAX_PROCESSES, value);
	options->start.max_processes = max;
	return 0;
}

static int parse_source(struct mp_record_options *options,
			const char *verb, const char *value)
{
	enum mp_source source;

	for (source = 0; source < MP_NR_SOURCES; source++) {
		if (strcmp(value, mp_source_name(source)))
			continue;
		options->source = source;
		return 0;
	}
	return mp_misuse(verb,
			 "--source takes auto, kmod, perf or smaps, not '%s'",
			 value);
}

int mp_record_argument(struct mp_record_options *options, const char *verb,
		       int code, const char *value)
{
	switch (code) {
	case 'a':
		return mp_target_argument(&options->targets, verb,
					  MEMPROF_TARGET_ALL, "");
	case 'p':
		return mp_target_argument(&options->targets, verb,
					  MEMPROF_TARGET_PROCESS, value);
	case 'G':
		return mp_target_argument(&options->targets, verb,
					  MEMPROF_TARGET_CGROUP, value);
	case MP_RECORD_COMM:
		return mp_target_argument(&options->targets, verb,
					  MEMPROF_TARGET_COMM, value);
	case MP_RECORD_NO_CHILDREN:
		options->targets.children = false;
		return 0;
	case MP_RECORD_FAULTS:
		return parse_faults(options, verb, value);
	case MP_RECORD_GROWTH:
		return parse_growth(options, verb, value);
	case MP_RECORD_ALLOC:
		return parse_alloc(options, verb, value);
	case MP_RECORD_ALLOC_ALL:
		options->alloc_all = true;
		return 0;
	case MP_RECORD_ALLOC_FN:
		return mp_alloc_fn_take(&options->functions, verb, value);
	case MP_RECORD_MAX_PROCESSES:
		return parse_max_processes(options, verb, value);
	case MP_RECORD_SOURCE:
		return parse_source(options, verb, value);
	case MP_RECORD_CALL_GRAPH:
		return parse_call_graph(options, verb, value);
	}
	return 0;
}

int mp_record_arguments_check(struct mp_record_options *options,
			      const char *verb)
{
	struct mp_diag diag = { 0 };

	return mp_record_options_check(options, &diag) ?
	       mp_message_diag(&diag, verb) : 0;
}
