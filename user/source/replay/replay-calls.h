/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay-calls: a log of calls and their ends as a source
 */
#ifndef MP_REPLAY_CALLS_H
#define MP_REPLAY_CALLS_H

#include "calls.h"
#include "log.h"

/**
 * struct mp_replay_calls - how far a log was read
 * @calls: what came of the current run; max_depth, chart and top are the caller's
 * @end_run: called when a run ends, before its stacks are forgotten
 * @complain: called for calls that its end closes
 */
struct mp_replay_calls {
	struct mp_calls calls;
	struct mp_log log;
	int (*end_run)(const struct mp_calls *calls);
	void (*complain)(const struct mp_replay_calls *replay, size_t nr_open);
};

/**
 * mp_replay_calls - feed a log of calls to the engine
 * @replay: set up, mp_calls_init() too; mp_replay_calls_free() is due
 * @file: to its end; a run that has not ended there or at a wrong line ends
 *
 * Return: 0; -EBADMSG where a line is wrong, see @log; -ENOMEM, -EIO, or what
 * @end_run or the toplevel's function returned.
 */
int mp_replay_calls(struct mp_replay_calls *replay, FILE *file);

/** mp_replay_calls_free - free all that it holds */
void mp_replay_calls_free(struct mp_replay_calls *replay);

#endif
