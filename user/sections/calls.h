/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calls: a run's call stacks, from its calls and their ends
 */
#ifndef MP_CALLS_H
#define MP_CALLS_H

#include "flame.h"
#include "call-spool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_CALLS_MAX_DEPTH	100

/* Calls inside of calls, at most. */
#define MP_CALLS_LIMIT		(1U << 24)

/**
 * struct mp_calls_time - of a clock, or between two moments of it
 * @tick: or how many
 * @ns: only where it is @known
 */
struct mp_calls_time {
	uint64_t tick;
	uint64_t ns;
	bool known;
};

/**
 * struct mp_calls_top - a call at the toplevel, with all that it called
 * @calls: of it, the caller before the called, in their order; of a chart only
 */
struct mp_calls_top {
	uint32_t name;
	struct mp_calls_time took;
	struct mp_call_spool *calls;
};

struct mp_calls_frame;

/**
 * struct mp_calls - a run
 * @max_depth: deeper calls have no node, their ticks count for toplevel calls only
 * @chart: whether single calls are kept, until their toplevel call is over
 * @top: takes toplevel calls when they end; 0, or an error that is handed on
 * @context: for @top
 * @flame: the distinct stacks of this run, with their own ticks; empty before the
 *	first call
 * @total: of the toplevel calls of this run that are over
 * @nr_top: how many
 * @nr_frames: calls that are not over
 */
struct mp_calls {
	uint32_t max_depth;
	bool chart;
	int (*top)(const struct mp_calls *calls, const struct mp_calls_top *top);
	void *context;
	struct mp_flame flame;
	struct mp_calls_frame *frames;
	size_t nr_frames, max_frames;
	struct mp_call_spool spool;
	struct mp_calls_top top_call;
	struct mp_calls_time total;
	size_t nr_top;
	struct mp_calls_time last;
};

/** mp_calls_init - nothing was called; callers set @max_depth, @chart and @top */
void mp_calls_init(struct mp_calls *calls);

/**
 * mp_calls_enter - a function is called
 * @name: may hold any byte; kept as folded stacks want it, see mp_calls_escape()
 * @now: not before the last event of this run
 *
 * Return: 0; -ERANGE where the tick goes back; -E2BIG where it is too deep;
 * -ENOMEM; of a chart also an errno of a temporary file.
 */
int mp_calls_enter(struct mp_calls *calls, const char *name, size_t len,
		   const struct mp_calls_time *now);

/**
 * mp_calls_exit - the innermost call is over; nothing, at the toplevel
 *
 * Return: 0, -ERANGE, what @top returned, or of a chart an errno of a temporary file.
 */
int mp_calls_exit(struct mp_calls *calls, const struct mp_calls_time *now);

/**
 * mp_calls_spend - ticks of the innermost call that no clock shows
 *
 * Nothing, at the toplevel.
 */
void mp_calls_spend(struct mp_calls *calls, uint64_t ticks);

/**
 * mp_calls_close - end calls that are not over, as at the last event
 *
 * Return: 0, or what @top returned.
 */
int mp_calls_close(struct mp_calls *calls);

/** mp_calls_end_run - forget its stacks; the next event is the first of its run */
void mp_calls_end_run(struct mp_calls *calls);

/**
 * mp_calls_escape - a name as it stands in folded stacks
 * @to: room for 4 * @len + 1 bytes
 *
 * Blanks, control characters, semicolons and backslashes become \xNN, so that
 * different names stay different. What mp_text_escape() is for is not done.
 */
void mp_calls_escape(char *to, const char *name, size_t len);

/** mp_calls_free - free all */
void mp_calls_free(struct mp_calls *calls);

#endif
