/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calls: builds the call stacks of a program's run from begins and ends of calls
 */
#ifndef MP_CALLS_H
#define MP_CALLS_H

#include "stack-tree.h"
#include "call-spool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_CALLS_MAX_DEPTH	100

/* Limit of calls that are open at the same time. */
#define MP_CALLS_LIMIT		(1U << 24)

/**
 * struct mp_calls_time - a time, or a duration
 * @tick: ticks of the clock
 * @ns: nanoseconds; valid if @known
 * @known: @ns is valid
 */
struct mp_calls_time {
	uint64_t tick;
	uint64_t ns;
	bool known;
};

/**
 * struct mp_calls_top - a toplevel call (it has no caller) with all its callees
 * @name: number of the toplevel call's name in the flame graph
 * @took: duration of the toplevel call
 * @calls: the toplevel call and its callees, callers first; for a chart only
 */
struct mp_calls_top {
	uint32_t name;
	struct mp_calls_time took;
	struct mp_call_spool *calls;
};

struct mp_calls_frame;

/**
 * struct mp_calls - the calls of one run of a program
 * @max_depth: deeper calls have no node; their ticks only count for the
 *	toplevel call
 * @chart: store each single call until its toplevel call ends
 * @top: callback that receives each toplevel call at its end. Returns 0, or an
 *	error that the calling function returns
 * @context: passed to @top
 * @flame: distinct stacks of this run with their own ticks; empty before the
 *	first call
 * @total: sum of the toplevel calls that ended in this run
 * @nr_top: number of these toplevel calls
 * @nr_frames: number of open calls
 */
struct mp_calls {
	uint32_t max_depth;
	bool chart;
	int (*top)(const struct mp_calls *calls, const struct mp_calls_top *top);
	void *context;
	struct mp_stack_tree flame;
	struct mp_calls_frame *frames;
	size_t nr_frames, max_frames;
	struct mp_call_spool spool;
	struct mp_calls_top top_call;
	struct mp_calls_time total;
	size_t nr_top;
	struct mp_calls_time last;
};

/** mp_calls_init - initialise; the caller then sets @max_depth, @chart and @top */
void mp_calls_init(struct mp_calls *calls);

/**
 * mp_calls_enter - a call begins
 * @name: may contain any byte; stored escaped, see mp_calls_escape()
 * @len: bytes of @name
 * @now: time of the call; not before the previous event of this run
 *
 * Return: 0; -ERANGE if the tick is before the previous one; -E2BIG if there
 * are too many open calls; -ENOMEM; for a chart also an errno of the temporary
 * file.
 */
int mp_calls_enter(struct mp_calls *calls, const char *name, size_t len,
		   const struct mp_calls_time *now);

/**
 * mp_calls_exit - the innermost call ends
 *
 * If no call is open, the function does nothing.
 *
 * Return: 0; -ERANGE if the tick is before the previous one; the error of @top; for
 * a chart also an errno of the temporary file.
 */
int mp_calls_exit(struct mp_calls *calls, const struct mp_calls_time *now);

/**
 * mp_calls_spend - add ticks to the innermost call, although no time passed
 *
 * If no call is open, the function does nothing.
 */
void mp_calls_spend(struct mp_calls *calls, uint64_t ticks);

/**
 * mp_calls_close - end all open calls, at the time of the last event
 *
 * Return: 0, or the error of @top.
 */
int mp_calls_close(struct mp_calls *calls);

/** mp_calls_end_run - remove all stacks; the next event begins a new run */
void mp_calls_end_run(struct mp_calls *calls);

/**
 * mp_calls_escape - escape a name for folded stacks
 * @to: room for 4 * @len + 1 bytes
 *
 * Spaces, control characters, semicolons and backslashes become \xNN, so
 * different names stay different. The result may still be unsafe to show, see
 * mp_text_escape().
 */
void mp_calls_escape(char *to, const char *name, size_t len);

/** mp_calls_free - free all memory */
void mp_calls_free(struct mp_calls *calls);

#endif
