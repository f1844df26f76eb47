/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * choice: parses the options that select rows, which several verbs have
 */
#ifndef MP_CHOICE_H
#define MP_CHOICE_H

#include "arrange.h"
#include "command.h"
#include "input.h"
#include "stack-samples.h"
#include "symbolise.h"
#include "writer.h"

/**
 * struct mp_choice - values of the options; all zero is the default
 * @arrange: the verb sets kind, top, sort and keys
 * @wrappers: functions that the user hides
 * @symbols: where to look for symbols
 * @quiet: show no progress
 */
struct mp_choice {
	struct mp_arrange arrange;
	struct mp_wrappers wrappers;
	struct mp_symbolise_options symbols;
	bool quiet;
};

/*
 * Functions that parse options, see struct mp_option. The first three set a
 * struct mp_choice, the last one an enum mp_metric.
 */
int mp_choice_filter(void *to, const struct mp_argument *argument);
int mp_choice_hide(void *to, const struct mp_argument *argument);
int mp_choice_keys(void *to, const struct mp_argument *argument);
int mp_choice_metric(void *to, const struct mp_argument *argument);

/* Entries for the option table of a verb whose request has a member choice. */
#define MP_CHOICE_FILTER(type)						\
	{ 0, "filter", "KEY=VALUE,...", NULL,				\
	  "rows of pid=, comm=, cgroup=, container=, pod=, host=, symbol=REGEX, size>=BYTES; repeatable", \
	  MP_SET(type, choice, mp_choice_filter) }
#define MP_CHOICE_GROUP_BY(type)					\
	{ 0, "group-by", "KEY,...",					\
	  "pid comm cgroup host callsite line symbol source binary",		\
	  "what distinguishes rows of callsites; default comm,line, with --json comm,callsite", \
	  MP_SET(type, choice, mp_choice_keys), MP_RARE }
#define MP_CHOICE_SYMBOLS(type)						\
	{ 0, "hide", "REGEX", NULL,					\
	  "functions that are wrappers of an allocator; repeatable",	\
	  MP_SET(type, choice, mp_choice_hide), MP_RARE },			\
	{ 0, "python", NULL, NULL,					\
	  "of stacks with functions of Python, JavaScript or Java, show only these", \
	  MP_FLAG(type, choice.arrange.python), MP_RARE },			\
	{ 0, "native", NULL, NULL,					\
	  "leave these functions out of stacks; with --python, show all, also how programs start", \
	  MP_FLAG(type, choice.arrange.native), MP_RARE },			\
	{ 0, "debuginfod", NULL, NULL,					\
	  "download missing debug files from $DEBUGINFOD_URLS",		\
	  MP_FLAG(type, choice.symbols.debuginfod), MP_RARE }
/* The same for members input, at_ms and live: a recording instead of the session */
#define MP_CHOICE_INPUT(type)						\
	{ 'i', "input", "FILE", NULL,					\
	  "a recording of memprofctl or perf, instead of the session",	\
	  MP_TEXT(type, input) },					\
	{ 0, "at", "TIME", "10s 1m", "of a recording, what there was at this time after its start", \
	  MP_DURATION(type, at_ms), MP_RARE },				\
	{ 0, "live", NULL, NULL, "the session, also if memprof.data here is newer", \
	  MP_FLAG(type, live), MP_RARE }
#define MP_CHOICE_QUIET(type)						\
	{ 'q', "quiet", NULL, NULL, "show no progress", MP_FLAG(type, choice.quiet), MP_RARE }

/**
 * mp_choice_adds_up - check whether @metric can be summed over stacks; if not,
 * report it
 */
bool mp_choice_adds_up(const char *verb, enum mp_metric metric);

/** mp_choice_has - check whether a metric is not 0 in at least one callsite */
bool mp_choice_has(const struct mp_profile *profile, enum mp_metric metric);

/**
 * mp_choice_shows_peak - whether the heap at its peak says more than LIVE: no callsite
 * has live bytes, or all processes have exited, and LIVE is what they did not free
 */
bool mp_choice_shows_peak(const struct mp_profile *profile);

/**
 * mp_choice_rows - arrange a profile for a writer
 * @out: kind, top and sort of the rows
 * @sizes: sizes of cgroups in a recording; NULL: read them from the kernel now
 * @profile: symbols are added to its frames if needed, and to each callsite a
 *	process that runs its binary
 * @rows: out; free it also after an error. It may be equal to @profile, which
 *	saves a copy
 *
 * Shows progress on the terminal.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_choice_rows(struct mp_choice *choice, const struct mp_out *out,
		   const struct mp_sizes *sizes, struct mp_profile *profile,
		   struct mp_profile *rows);

/** mp_choice_free - free all */
void mp_choice_free(struct mp_choice *choice);

#endif
