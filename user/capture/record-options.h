/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record-options: selects the processes and the events of a session
 */
#ifndef MP_RECORD_OPTIONS_H
#define MP_RECORD_OPTIONS_H

#include "alloc-function.h"
#include "diag.h"
#include "targets.h"
#include "tracer.h"

#define MP_RECORD_FILES	64

/* Size of a copy of the stack, if the user gives none. */
#define MP_STACK_BYTES	8192

/*
 * Mean bytes between a library's samples in chosen processes, if the user gives none. For
 * all processes of the machine it is MEMPROF_DEFAULT_RATE.
 */
#define MP_SAMPLERS_RATE	16384

/* The user's choice about allocations; DEFAULT: no choice was made. */
enum mp_alloc_choice {
	MP_ALLOC_DEFAULT,
	MP_ALLOC_OFF,
	MP_ALLOC_ON,
};

/*
 * Samples a second that a thread takes at most, in a session of everything, and of chosen
 * processes: some tenths of a percent of a CPU, and 4 %. A process begins with as many at once.
 */
#define MP_PACE_LOW		100
#define MP_PACE			2000

/**
 * struct mp_record_options - the record options of a user
 * @targets: processes to record
 * @start: streams and periods, in the module's format
 * @functions: functions that the user declared as allocators
 * @alloc: whether to record allocations
 * @pace: samples a second that a thread takes at most; 0: any number
 * @samplers: allocations come from samplers inside the processes
 * @inject: put the sampler into the target processes that run; implies @samplers
 * @alloc_all: record the allocations of every process
 * @source: source of the numbers
 * @chain, @stack_bytes: stacks of perf's events; MP_CHAIN_DEFAULT: depends on
 *	the source and on what is traced
 * @dump_bytes: limit of copies of stacks that wait to be unwound; 0: the default
 * @lasts: the session is for processes that come later, too, so what only those that run now
 *	would get is refused
 * @records: this is for a recording, which has the stacks of the module's events
 * @sections: for a recording: probe programs that measure sections themselves
 * @ring_pages: size of each CPU's ring; 0: see mp_session_ring_pages()
 * @files: binaries to probe before they are mapped
 * @nr_files: number of @files
 * @growth_given: the user said whether growth is followed
 * @given: the user gave one of these options, other than a target
 */
struct mp_record_options {
	struct mp_targets targets;
	struct memprof_start start;
	struct mp_user_functions functions;
	enum mp_alloc_choice alloc;
	uint32_t pace;
	bool samplers, inject;
	bool alloc_all;
	enum mp_source source;
	enum mp_chain chain;
	uint32_t stack_bytes;
	size_t dump_bytes;
	bool lasts, records;
	bool sections;
	size_t ring_pages;
	char *files[MP_RECORD_FILES];
	size_t nr_files;
	bool growth_given;
	bool given;
};

/** mp_record_options_init - set the defaults */
void mp_record_options_init(struct mp_record_options *options);

/**
 * mp_record_options_check - check combinations of the options
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_record_options_check(struct mp_record_options *options,
			    struct mp_diag *diag);

/**
 * mp_record_options_can_do_without - check that nothing is asked for that only events or
 * the module have, so that a library alone can record
 */
bool mp_record_options_can_do_without(const struct mp_record_options *options);

/**
 * mp_record_options_allocs - check whether allocations should be recorded, if
 * possible
 */
bool mp_record_options_allocs(const struct mp_record_options *options);

#endif
