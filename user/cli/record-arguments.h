/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record-arguments: the common options of start and record
 */
#ifndef MP_RECORD_ARGUMENTS_H
#define MP_RECORD_ARGUMENTS_H

#include "command.h"
#include "record-options.h"

/* Codes of the options below. A verb's own options begin at MP_RECORD_END. */
enum {
	MP_RECORD_COMM = MP_OPTION_LONG,
	MP_RECORD_FAULTS,
	MP_RECORD_GROWTH,
	MP_RECORD_NO_CHILDREN,
	MP_RECORD_MAX_PROCESSES,
	MP_RECORD_ALLOC,
	MP_RECORD_ALLOC_ALL,
	MP_RECORD_ALLOC_FN,
	MP_RECORD_SOURCE,
	MP_RECORD_CALL_GRAPH,
	MP_RECORD_END,
};

/* For the option table of a verb. */
#define MP_RECORD_OPTIONS							\
	{ 'a', "all", NULL, NULL, "every process; the default" },	\
	{ 'p', "pid", "PID", NULL,					\
	  "a process and its later children; repeatable" },		\
	{ 'G', "cgroup", "CGROUP", NULL,				\
	  "tasks in a cgroup v2 or below; repeatable" },		\
	{ MP_RECORD_COMM, "comm", "NAME", NULL,				\
	  "processes of this command name; repeatable" },		\
	{ MP_RECORD_NO_CHILDREN, "no-children", NULL, NULL,		\
	  "-p does not extend to children" },				\
	{ MP_RECORD_SOURCE, "source", "auto|kmod|perf|smaps",		\
	  "auto kmod perf smaps",					\
	  "the module; perf's events, slower, without it; sizes only" },	\
	{ MP_RECORD_FAULTS, "faults", "PERIOD|off", "off 1 10 100 1000",	\
	  "sample every PERIOD-th minor fault; default 100" },		\
	{ MP_RECORD_GROWTH, "growth", "on|off", "on off",			\
	  "trace brk, mmap, munmap, mremap; default on" },		\
	{ MP_RECORD_ALLOC, "alloc", "exact|BYTES|off", "exact off 64K 512K 4M", \
	  "trace allocations: each, or a sample every BYTES; 512K with -p, -G, --comm" }, \
	{ MP_RECORD_ALLOC_ALL, "alloc-all", NULL, NULL,			\
	  "trace the allocations of every process, at a cost to each" },	\
	{ MP_RECORD_ALLOC_FN, "alloc-fn", "NAME=KIND", NULL,		\
	  "NAME is an allocator function of this KIND; repeatable" },	\
	{ MP_RECORD_CALL_GRAPH, "call-graph", "fp|dwarf[,BYTES]|no",	\
	  "fp dwarf no",						\
	  "stacks by frame pointers (default, except for start with the module: no), or by copies of stack memory" }, \
	{ MP_RECORD_MAX_PROCESSES, "max-processes", "N", NULL,		\
	  "limit of rows, including exited ones; default 16384" }

/* For verbs that record or listen until they are ended. */
#define MP_READY_OPTION(code)						\
	{ code, "ready-fd", "FD", NULL,					\
	  "write READY=1 to this file descriptor once events are recorded" }

/**
 * mp_target_argument - parse a target option
 * @verb: the verb, for messages
 * @kind: enum memprof_target_kind
 * @value: the option's value; "" for MEMPROF_TARGET_ALL; not copied
 *
 * Return: 0, or an exit status after printing a message; also below.
 */
int mp_target_argument(struct mp_targets *targets, const char *verb,
		       uint32_t kind, const char *value);

/**
 * mp_ready_argument - parse the value of --ready-fd
 * @fd: out
 */
int mp_ready_argument(int *fd, const char *verb, const char *value);

/** mp_record_argument - parse one of MP_RECORD_OPTIONS */
int mp_record_argument(struct mp_record_options *options, const char *verb,
		       int code, const char *value);

/** mp_record_arguments_check - check combinations of the options */
int mp_record_arguments_check(struct mp_record_options *options,
			      const char *verb);

#endif
