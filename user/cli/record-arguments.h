/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record-arguments: the options that start and record have in common
 */
#ifndef MP_RECORD_ARGUMENTS_H
#define MP_RECORD_ARGUMENTS_H

#include "alloc-fn.h"
#include "command.h"
#include "record-options.h"

/** mp_record_set_alloc - set what --alloc says. Return: false if @value is no such text */
bool mp_record_set_alloc(struct mp_record_options *options, const char *value);

/** mp_record_set_faults - set what --faults says. Return: as above */
bool mp_record_set_faults(struct mp_record_options *options, const char *value);

int mp_target_argument(void *to, const struct mp_argument *argument);
int mp_ready_argument(void *to, const struct mp_argument *argument);
int mp_record_faults(void *to, const struct mp_argument *argument);
int mp_record_growth(void *to, const struct mp_argument *argument);
int mp_record_alloc(void *to, const struct mp_argument *argument);
int mp_record_call_graph(void *to, const struct mp_argument *argument);

/*
 * Entries for option tables. @member is a struct mp_targets.
 */
#define MP_TARGET_ALL(type, member)					\
	{ 'a', "all", NULL, NULL, "every process; the default",		\
	  MP_SET(type, member, mp_target_argument), .constant = MEMPROF_TARGET_ALL }
#define MP_TARGET_PROCESS(type, member)					\
	{ 'p', "pid", "PID", NULL,					\
	  "a process and its later children; repeatable",		\
	  MP_SET(type, member, mp_target_argument),			\
	  .constant = MEMPROF_TARGET_PROCESS }
/*
 * Entry for verbs that record until they are interrupted. @member is a
 * descriptor.
 */
#define MP_READY_OPTION(type, member)					\
	{ 0, "ready-fd", "FD", NULL,					\
	  "write READY=1 to this file descriptor once events are recorded", \
	  MP_SET(type, member, mp_ready_argument), MP_RARE }

/* Entries for option tables. @member is a struct mp_record_options. */
#define MP_RECORD_SET(type, member, function)				\
	MP_SET(type, member, function), MP_GIVEN(type, member.given)
#define MP_RECORD_OPTIONS(type, member)					\
	MP_TARGET_ALL(type, member.targets),				\
	MP_TARGET_PROCESS(type, member.targets),			\
	{ 'G', "cgroup", "CGROUP", NULL,				\
	  "tasks in a cgroup v2 or below; repeatable",			\
	  MP_SET(type, member.targets, mp_target_argument),		\
	  .constant = MEMPROF_TARGET_CGROUP },				\
	{ 0, "comm", "NAME", NULL,					\
	  "processes of this command name; repeatable",			\
	  MP_SET(type, member.targets, mp_target_argument),		\
	  .constant = MEMPROF_TARGET_COMM },				\
	{ 0, "no-children", NULL, NULL,	"-p does not extend to children", \
	  MP_FLAG_OFF(type, member.targets.children),			\
	  MP_GIVEN(type, member.given), MP_RARE },				\
	{ 0, "source", "auto|kmod|perf|smaps",	"auto kmod perf smaps",	\
	  "the module; perf's events, slower, without it; sizes only",	\
	  MP_WORD(type, member.source), MP_GIVEN(type, member.given) },	\
	{ 0, "faults", "PERIOD|off", "off 1 10 100 1000",		\
	  "sample every PERIOD-th minor fault; default 100, of perf and processes 1",	\
	  MP_RECORD_SET(type, member, mp_record_faults), MP_RARE },		\
	{ 0, "growth", "on|off", "on off",				\
	  "follow brk, mmap, mprotect and the like; default on",	\
	  MP_RECORD_SET(type, member, mp_record_growth), MP_RARE },		\
	{ 0, "alloc", "exact|BYTES|off", "exact off 64K 512K 4M",	\
	  "trace allocations: each, or a sample every BYTES; see the man page for the default", \
	  MP_RECORD_SET(type, member, mp_record_alloc) },		\
	{ 0, "inject", NULL, NULL,					\
	  "sample allocations by a library that is put into the running targets", \
	  MP_FLAG(type, member.inject), MP_GIVEN(type, member.given) },	\
	{ 0, "alloc-all", NULL, NULL,					\
	  "trace the allocations of every process, at a cost to each",	\
	  MP_FLAG(type, member.alloc_all), MP_GIVEN(type, member.given), MP_RARE }, \
	{ 0, "alloc-fn", "NAME=KIND", NULL,				\
	  "NAME is an allocator function of this KIND; repeatable",	\
	  MP_SET(type, member.functions, mp_alloc_fn_take),		\
	  MP_GIVEN(type, member.given), MP_RARE },				\
	{ 0, "call-graph", "fp|dwarf[,BYTES]|no",			\
	  "fp dwarf no",						\
	  "stacks by frame pointers, or by copies of BYTES of the stack; see the man page", \
	  MP_RECORD_SET(type, member, mp_record_call_graph) },		\
	{ 0, "max-processes", "N", NULL,				\
	  "limit of rows, including exited ones; default 16384",	\
	  MP_NUMBER(type, member.start.max_processes, 1, MEMPROF_MAX_PROCESSES), \
	  MP_GIVEN(type, member.given), MP_RARE },				\
	{ 0, "max-live", "N", NULL,					\
	  "limit of blocks that are followed at the same time; default 1048576", \
	  MP_NUMBER(type, member.start.max_live, 1, MEMPROF_MAX_LIVE),	\
	  MP_GIVEN(type, member.given), MP_RARE }

/** mp_record_arguments_check - check combinations of the options */
int mp_record_arguments_check(struct mp_record_options *options,
			      const char *verb);

#endif
