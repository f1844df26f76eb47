/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay-calls: replays a log of begins and ends of calls
 */
#ifndef MP_REPLAY_CALLS_H
#define MP_REPLAY_CALLS_H

#include "calls.h"
#include "log.h"

/**
 * struct mp_replay_calls - state of the replay
 * @calls: the current run; the caller sets max_depth, chart and top
 * @log: state of reading
 * @end_run: called when a run ends, before its stacks are removed; or NULL
 * @complain: called if calls are still open at the end of a run
 */
struct mp_replay_calls {
	struct mp_calls calls;
	struct mp_log log;
	int (*end_run)(const struct mp_calls *calls);
	void (*complain)(const struct mp_replay_calls *replay, size_t nr_open);
};

/**
 * mp_replay_calls - replay a log of calls
 * @replay: @calls and @complain are set. Call mp_replay_calls_free()
 *	afterwards
 * @file: read to its end. At the end or at an invalid line, an open run ends
 *
 * Return: 0; -EBADMSG if a line is invalid, see @log; -ENOMEM; -EIO; the error
 * of @end_run or mp_calls.top.
 */
int mp_replay_calls(struct mp_replay_calls *replay, FILE *file);

/** mp_replay_calls_free - free all */
void mp_replay_calls_free(struct mp_replay_calls *replay);

#endif
