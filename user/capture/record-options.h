/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record-options: which processes a session follows, and in which events
 */
#ifndef MP_RECORD_OPTIONS_H
#define MP_RECORD_OPTIONS_H

#include "alloc-function.h"
#include "diag.h"
#include "targets.h"
#include "tracer.h"

#define MP_RECORD_FILES	64

/* What the user said about allocations; DEFAULT: nothing. */
enum mp_alloc_choice {
	MP_ALLOC_DEFAULT,
	MP_ALLOC_OFF,
	MP_ALLOC_ON,
};

/**
 * struct mp_record_options - what a user asked for
 * @targets: whom to follow
 * @start: streams and periods, as for the module
 * @functions: that the user names
 * @alloc: whether to follow allocations
 * @alloc_all: follow the allocations of every process
 * @source: where numbers come from
 * @chain, @stack_bytes: stacks of perf's events; MP_CHAIN_DEFAULT: the source decides
 * @sections: follow programs that keep their sections themselves, for a recording
 * @ring_pages: of each CPU's ring; 0: what mp_session_ring_pages() says
 * @files: binaries that will be mapped, to be probed before
 * @nr_files: how many
 * @given: the user gave any option of these but targets
 */
struct mp_record_options {
	struct mp_targets targets;
	struct memprof_start start;
	struct mp_user_functions functions;
	enum mp_alloc_choice alloc;
	bool alloc_all;
	enum mp_source source;
	enum mp_chain chain;
	uint32_t stack_bytes;
	bool sections;
	size_t ring_pages;
	char *files[MP_RECORD_FILES];
	size_t nr_files;
	bool given;
};

/** mp_record_options_init - set the defaults */
void mp_record_options_init(struct mp_record_options *options);

/**
 * mp_record_options_check - check the options together
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_record_options_check(struct mp_record_options *options,
			    struct mp_diag *diag);

/** mp_record_options_allocs - check whether allocations are to be followed, if possible */
bool mp_record_options_allocs(const struct mp_record_options *options);

#endif
