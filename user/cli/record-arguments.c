// SPDX-License-Identifier: GPL-2.0-only
/*
 * record-arguments: parses the options that start and record have in common
 *
 * A wrong value is reported.
 */
#include "record-arguments.h"
#include "message.h"
#include "ready.h"

#include <limits.h>
#include <string.h>

/*
 * Bytes of stack that a sample copies: the default is enough for about twenty
 * frames; the maximum is perf's limit.
 */
#define MAX_STACK	65528

/* Room for a process id */
#define PID_SIZE	12

/* "PID,PID...", as ps takes it. The texts of targets have to stay. */
static int add_processes(struct mp_targets *targets, const char *list, struct mp_diag *diag)
{
	static char pids[MEMPROF_MAX_TARGETS][PID_SIZE];
	static size_t nr;
	size_t len;
	int status = 0;

	for (; !status && list; list = list[len] ? list + len + 1 : NULL) {
		len = strcspn(list, ",");
		if (len >= PID_SIZE || nr == MEMPROF_MAX_TARGETS)
			return mp_targets_add_option(targets, MEMPROF_TARGET_PROCESS, list, diag);
		memcpy(pids[nr], list, len);
		status = mp_targets_add_option(targets, MEMPROF_TARGET_PROCESS, pids[nr++], diag);
	}
	return status;
}

int mp_target_argument(void *to, const struct mp_argument *argument)
{
	struct mp_diag diag = { 0 };

	if (argument->option->constant == MEMPROF_TARGET_PROCESS &&
	    strchr(argument->value, ','))
		return add_processes(to, argument->value, &diag) ?
		       mp_message_diag(&diag, argument->verb) : 0;
	return mp_targets_add_option(to, argument->option->constant,
				     argument->value ?: "", &diag) ?
	       mp_message_diag(&diag, argument->verb) : 0;
}

int mp_ready_argument(void *to, const struct mp_argument *argument)
{
	uint64_t number;

	if (!mp_command_number(argument->value, MP_READY_MIN_FD, INT_MAX, &number) ||
	    !mp_ready_open((int)number))
		return mp_misuse(argument->verb,
				 "--ready-fd takes a file descriptor from %d on that is open for writing, not '%s'",
				 MP_READY_MIN_FD, argument->value);
	*(int *)to = (int)number;
	return 0;
}

bool mp_record_set_alloc(struct mp_record_options *options, const char *value)
{
	const bool off = !strcmp(value, "off");
	uint64_t rate = 1;

	if (!off && strcmp(value, "exact") &&
	    !mp_command_bytes(value, 1, MEMPROF_MAX_RATE, &rate))
		return false;
	options->alloc = off ? MP_ALLOC_OFF : MP_ALLOC_ON;
	options->start.alloc_rate = rate;
	return true;
}

int mp_record_alloc(void *to, const struct mp_argument *argument)
{
	return mp_record_set_alloc(to, argument->value) ? 0 :
	       mp_misuse(argument->verb,
			 "--alloc takes exact, off, or bytes such as 512K, not '%s'",
			 argument->value);
}

int mp_record_call_graph(void *to, const struct mp_argument *argument)
{
	struct mp_record_options *options = to;
	const char *value = argument->value;
	uint64_t bytes = MP_STACK_BYTES;

	if (!strcmp(value, "fp") || !strcmp(value, "no")) {
		options->chain = *value == 'f' ? MP_CHAIN_FP : MP_CHAIN_NONE;
		return 0;
	}
	if (strncmp(value, "dwarf", 5) || (value[5] && value[5] != ',') ||
	    (value[5] && (!mp_command_bytes(value + 6, 8, MAX_STACK, &bytes) ||
			  bytes % 8)))
		return mp_misuse(argument->verb,
				 "--call-graph takes fp, no, or dwarf[,BYTES] with a multiple of 8 up to %d, not '%s'",
				 MAX_STACK, value);
	options->chain = MP_CHAIN_DWARF;
	options->stack_bytes = (uint32_t)bytes;
	return 0;
}

bool mp_record_set_faults(struct mp_record_options *options, const char *value)
{
	struct memprof_start *start = &options->start;
	uint64_t period = 0;

	if (strcmp(value, "off") && !mp_command_number(value, 1, MEMPROF_MAX_PERIOD, &period))
		return false;
	start->flags &= ~MEMPROF_START_FAULTS;
	if (period)
		start->flags |= MEMPROF_START_FAULTS;
	start->minor_period = (uint32_t)period;
	return true;
}

int mp_record_faults(void *to, const struct mp_argument *argument)
{
	return mp_record_set_faults(to, argument->value) ? 0 :
	       mp_misuse(argument->verb,
			 "--faults takes off or a period from 1 to %u, not '%s'",
			 MEMPROF_MAX_PERIOD, argument->value);
}

int mp_record_growth(void *to, const struct mp_argument *argument)
{
	struct mp_record_options *options = to;
	struct memprof_start *start = &options->start;
	unsigned int off = 0;
	int status = mp_set_word(&off, argument);

	options->growth_given = true;
	start->flags &= ~MEMPROF_START_GROWTH;
	if (!off)
		start->flags |= MEMPROF_START_GROWTH;
	return status;
}

int mp_record_arguments_check(struct mp_record_options *options,
			      const char *verb)
{
	struct mp_diag diag = { 0 };

	return mp_record_options_check(options, &diag) ?
	       mp_message_diag(&diag, verb) : 0;
}
