// SPDX-License-Identifier: GPL-2.0-only
/*
 * record-options: sets the defaults, and refuses combinations of options
 */
#include "record-options.h"

#define DEFAULT_FLAGS	(MEMPROF_START_FAULTS | MEMPROF_START_GROWTH)

void mp_record_options_init(struct mp_record_options *options)
{
	*options = (struct mp_record_options){
		.targets.children = true,
		.start.flags = DEFAULT_FLAGS,
	};
}

/* Recording the allocations of all processes is expensive, so it needs --alloc-all. */
static int check_alloc(const struct mp_record_options *options,
		       struct mp_diag *diag)
{
	bool all = options->targets.list[0].kind == MEMPROF_TARGET_ALL;

	if (options->alloc_all && !all)
		return mp_diag_usage(diag, "--alloc-all is for every process: no target goes with it");
	if (options->alloc_all && options->alloc == MP_ALLOC_OFF)
		return mp_diag_usage(diag, "--alloc-all and --alloc off contradict each other");
	if (options->alloc == MP_ALLOC_ON && all && !options->alloc_all &&
	    !options->inject)
		return mp_diag_usage(diag, "--alloc slows every allocation of its targets: choose them with -p, -G or --comm, or say --alloc-all");
	return 0;
}

static int check_inject(struct mp_record_options *options, struct mp_diag *diag)
{
	const bool is_all = options->targets.list[0].kind == MEMPROF_TARGET_ALL;

	if (!options->inject)
		return 0;
	if (options->alloc == MP_ALLOC_OFF ||
	    (options->alloc == MP_ALLOC_ON && options->start.alloc_rate <= 1))
		return mp_diag_usage(diag, "--inject samples allocations: --alloc takes bytes from 2 on then, such as 64K; memprofctl inject --rate 1 counts each call, and snapshot shows it");
	options->alloc = MP_ALLOC_ON;
	options->samplers = true;
	/* who says how many bytes has all of their samples, unless everything is sampled */
	if (is_all)
		options->pace = MP_PACE_LOW;
	else if (!options->start.alloc_rate)
		options->pace = MP_PACE;
	if (!options->start.alloc_rate)
		options->start.alloc_rate = is_all ? MEMPROF_DEFAULT_RATE : MP_SAMPLERS_RATE;
	return 0;
}

int mp_record_options_check(struct mp_record_options *options,
			    struct mp_diag *diag)
{
	int err = mp_targets_check(&options->targets, diag);

	if (!err)
		err = check_inject(options, diag);
	return err ? err : check_alloc(options, diag);
}

bool mp_record_options_allocs(const struct mp_record_options *options)
{
	if (options->alloc == MP_ALLOC_DEFAULT)
		return options->alloc_all ||
		       options->targets.list[0].kind != MEMPROF_TARGET_ALL;
	return options->alloc == MP_ALLOC_ON;
}

bool mp_record_options_can_do_without(const struct mp_record_options *options)
{
	const struct memprof_start *start = &options->start;

	return options->source == MP_SOURCE_AUTO && options->chain == MP_CHAIN_DEFAULT &&
	       start->flags == DEFAULT_FLAGS && !start->minor_period &&
	       !start->max_processes && !start->max_live && !options->functions.nr &&
	       !options->alloc_all && options->targets.children &&
	       options->targets.list[0].kind == MEMPROF_TARGET_PROCESS;
}
