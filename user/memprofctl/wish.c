// SPDX-License-Identifier: GPL-2.0-only
/*
 * wish: options of start and record
 *
 * Prints what is wrong with them; does nothing else.
 */
#include "wish.h"
#include "message.h"

#include <string.h>

/* Of a thread's stack: enough for some twenty frames, and what perf can take. */
#define DEFAULT_STACK	8192
#define MAX_STACK	65528

void mp_wish_init(struct mp_wish *wish, const char *verb)
{
	*wish = (struct mp_wish){
		.verb = verb,
		.targets.verb = verb,
		.targets.children = true,
		.start.flags = MEMPROF_START_FAULTS | MEMPROF_START_GROWTH,
	};
}

static int take_alloc(struct mp_wish *wish, const char *value)
{
	uint64_t rate = 1;

	wish->alloc = MP_ALLOC_ON;
	if (!strcmp(value, "off"))
		wish->alloc = MP_ALLOC_OFF;
	else if (strcmp(value, "exact") &&
		 !mp_command_bytes(value, 1, MEMPROF_MAX_RATE, &rate))
		return mp_misuse(wish->verb,
				 "--alloc takes exact, off, or bytes such as 512K, not '%s'",
				 value);
	wish->start.alloc_rate = rate;
	return 0;
}

static int take_call_graph(struct mp_wish *wish, const char *value)
{
	uint64_t bytes = DEFAULT_STACK;

	if (!strcmp(value, "fp") || !strcmp(value, "no")) {
		wish->chain = *value == 'f' ? MP_CHAIN_FP : MP_CHAIN_NONE;
		return 0;
	}
	if (strncmp(value, "dwarf", 5) || (value[5] && value[5] != ',') ||
	    (value[5] && (!mp_command_bytes(value + 6, 8, MAX_STACK, &bytes) ||
			  bytes % 8)))
		return mp_misuse(wish->verb,
				 "--call-graph takes fp, no, or dwarf[,BYTES] with a multiple of 8 up to %d, not '%s'",
				 MAX_STACK, value);
	wish->chain = MP_CHAIN_DWARF;
	wish->stack_bytes = (uint32_t)bytes;
	return 0;
}

static int take_faults(struct mp_wish *wish, const char *value)
{
	struct memprof_start *start = &wish->start;
	uint64_t period = 0;

	start->flags &= ~MEMPROF_START_FAULTS;
	start->minor_period = 0;
	if (!strcmp(value, "off"))
		return 0;
	if (!mp_command_number(value, 1, MEMPROF_MAX_PERIOD, &period))
		return mp_misuse(wish->verb,
				 "--faults takes off or a period from 1 to %u, not '%s'",
				 MEMPROF_MAX_PERIOD, value);
	start->flags |= MEMPROF_START_FAULTS;
	start->minor_period = period;
	return 0;
}

static int take_growth(struct mp_wish *wish, const char *value)
{
	struct memprof_start *start = &wish->start;

	if (strcmp(value, "on") && strcmp(value, "off"))
		return mp_misuse(wish->verb, "--growth takes on or off, not '%s'",
				 value);
	start->flags &= ~MEMPROF_START_GROWTH;
	if (!strcmp(value, "on"))
		start->flags |= MEMPROF_START_GROWTH;
	return 0;
}

static int take_max_processes(struct mp_wish *wish, const char *value)
{
	uint64_t max;

	if (!mp_command_number(value, 1, MEMPROF_MAX_PROCESSES, &max))
		return mp_misuse(wish->verb,
				 "--max-processes takes a number from 1 to %u, not '%s'",
				 MEMPROF_MAX_PROCESSES, value);
	wish->start.max_processes = max;
	return 0;
}

static int take_source(struct mp_wish *wish, const char *value)
{
	enum mp_source source;

	for (source = 0; source < MP_NR_SOURCES; source++) {
		if (strcmp(value, mp_source_name(source)))
			continue;
		wish->source = source;
		return 0;
	}
	return mp_misuse(wish->verb,
			 "--source takes auto, kmod, perf or smaps, not '%s'",
			 value);
}

int mp_wish_take(struct mp_wish *wish, int code, const char *value)
{
	switch (code) {
	case 'a':
		return mp_targets_take(&wish->targets, MEMPROF_TARGET_ALL,
				       "");
	case 'p':
		return mp_targets_take(&wish->targets,
				       MEMPROF_TARGET_PROCESS, value);
	case 'G':
		return mp_targets_take(&wish->targets,
				       MEMPROF_TARGET_CGROUP, value);
	case MP_WISH_COMM:
		return mp_targets_take(&wish->targets, MEMPROF_TARGET_COMM,
				       value);
	case MP_WISH_NO_CHILDREN:
		wish->targets.children = false;
		return 0;
	case MP_WISH_FAULTS:
		return take_faults(wish, value);
	case MP_WISH_GROWTH:
		return take_growth(wish, value);
	case MP_WISH_ALLOC:
		return take_alloc(wish, value);
	case MP_WISH_ALLOC_ALL:
		wish->alloc_all = true;
		return 0;
	case MP_WISH_ALLOC_FN:
		return mp_alloc_fn_take(&wish->functions, wish->verb, value);
	case MP_WISH_MAX_PROCESSES:
		return take_max_processes(wish, value);
	case MP_WISH_SOURCE:
		return take_source(wish, value);
	case MP_WISH_CALL_GRAPH:
		return take_call_graph(wish, value);
	}
	return 0;
}

/* -a is dear with allocations: it takes a word of its own. */
static int check_alloc(const struct mp_wish *wish)
{
	bool all = wish->targets.list[0].kind == MEMPROF_TARGET_ALL;

	if (wish->alloc_all && !all)
		return mp_misuse(wish->verb,
				 "--alloc-all is for every process: no target goes with it");
	if (wish->alloc_all && wish->alloc == MP_ALLOC_OFF)
		return mp_misuse(wish->verb,
				 "--alloc-all and --alloc off contradict each other");
	if (wish->alloc == MP_ALLOC_ON && all && !wish->alloc_all)
		return mp_misuse(wish->verb,
				 "--alloc slows every allocation of its targets: choose them with -p, -G or --comm, or say --alloc-all");
	return 0;
}

int mp_wish_close(struct mp_wish *wish)
{
	int status = mp_targets_close(&wish->targets);

	return status ? status : check_alloc(wish);
}

bool mp_wish_allocs(const struct mp_wish *wish)
{
	if (wish->alloc == MP_ALLOC_DEFAULT)
		return wish->alloc_all ||
		       wish->targets.list[0].kind != MEMPROF_TARGET_ALL;
	return wish->alloc == MP_ALLOC_ON;
}
