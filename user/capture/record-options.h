/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wish: whom to follow and in what, as options say it
 */
#ifndef MP_RECORD_OPTIONS_H
#define MP_RECORD_OPTIONS_H

#include "alloc-fn.h"
#include "command.h"
#include "targets.h"
#include "tracer.h"

/* Codes of the options below; a verb's own begin behind. */
enum {
	MP_WISH_COMM = MP_OPTION_LONG,
	MP_WISH_FAULTS,
	MP_WISH_GROWTH,
	MP_WISH_NO_CHILDREN,
	MP_WISH_MAX_PROCESSES,
	MP_WISH_ALLOC,
	MP_WISH_ALLOC_ALL,
	MP_WISH_ALLOC_FN,
	MP_WISH_SOURCE,
	MP_WISH_CALL_GRAPH,
	MP_WISH_END,
};

/* For a verb's table of options. */
#define MP_RECORD_OPTIONS							\
	{ 'a', "all", NULL, NULL, "every process; the default" },	\
	{ 'p', "pid", "PID", NULL,					\
	  "a process and its later children; repeatable" },		\
	{ 'G', "cgroup", "CGROUP", NULL,				\
	  "tasks in a cgroup v2 or below; repeatable" },		\
	{ MP_WISH_COMM, "comm", "NAME", NULL,				\
	  "processes of this command name; repeatable" },		\
	{ MP_WISH_NO_CHILDREN, "no-children", NULL, NULL,		\
	  "-p does not extend to children" },				\
	{ MP_WISH_SOURCE, "source", "auto|kmod|perf|smaps",		\
	  "auto kmod perf smaps",					\
	  "the module; perf's events, slower, without it; sizes only" },	\
	{ MP_WISH_FAULTS, "faults", "PERIOD|off", "off 1 10 100 1000",	\
	  "sample every PERIOD-th minor fault; default 100" },		\
	{ MP_WISH_GROWTH, "growth", "on|off", "on off",			\
	  "follow brk, mmap, munmap, mremap; default on" },		\
	{ MP_WISH_ALLOC, "alloc", "exact|BYTES|off", "exact off 64K 512K 4M", \
	  "follow allocations: each, or a sample every BYTES; 512K with -p, -G, --comm" }, \
	{ MP_WISH_ALLOC_ALL, "alloc-all", NULL, NULL,			\
	  "follow the allocations of every process, at a cost to each" },	\
	{ MP_WISH_ALLOC_FN, "alloc-fn", "NAME=KIND", NULL,		\
	  "NAME is an allocator function of this KIND; repeatable" },	\
	{ MP_WISH_CALL_GRAPH, "call-graph", "fp|dwarf[,BYTES]|no",	\
	  "fp dwarf no",						\
	  "stacks by frame pointers (the default, but for start with the module: no), or by what is on top of the stack" }, \
	{ MP_WISH_MAX_PROCESSES, "max-processes", "N", NULL,		\
	  "rows to keep, exited ones included; default 16384" }

#define MP_RECORD_FILES	64

/* Whether the user said something on allocations, and what. */
enum mp_alloc_choice {
	MP_ALLOC_DEFAULT,
	MP_ALLOC_OFF,
	MP_ALLOC_ON,
};

/**
 * struct mp_record_options - what a user wants
 * @verb: whose options, for messages
 * @targets: whom to follow
 * @start: streams and periods, as for the module
 * @functions: that the user names
 * @alloc_all: allocations of everything
 * @chain, @stack_bytes: of perf's events; MP_CHAIN_DEFAULT where nothing is said
 * @sections: what programs that keep their sections tell of them, for a recording
 * @files: binaries that will be mapped, to be probed before
 */
struct mp_record_options {
	const char *verb;
	struct mp_targets targets;
	struct memprof_start start;
	struct mp_user_functions functions;
	enum mp_alloc_choice alloc;
	bool alloc_all;
	enum mp_source source;
	enum mp_chain chain;
	uint32_t stack_bytes;
	bool sections;
	char *files[MP_RECORD_FILES];
	size_t nr_files;
};

/** mp_record_options_init - what a user gets who says nothing */
void mp_record_options_init(struct mp_record_options *options, const char *verb);

/**
 * mp_record_options_take - take in one of MP_RECORD_OPTIONS
 *
 * Return: 0, or MP_EXIT_USAGE and a message was printed.
 */
int mp_record_options_take(struct mp_record_options *options, int code, const char *value);

/** mp_record_options_close - all options are taken in. Return: as above */
int mp_record_options_close(struct mp_record_options *options);

/** mp_record_options_allocs - whether allocations are to be followed, if they can be */
bool mp_record_options_allocs(const struct mp_record_options *options);

#endif
