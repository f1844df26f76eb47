/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay: replays a log of allocator calls, one JSON object per line
 */
#ifndef MP_REPLAY_H
#define MP_REPLAY_H

#include "heap.h"
#include "log.h"
#include "names.h"

#include <stdio.h>

/**
 * struct mp_replay - state of the replay
 * @heap: the engine; the caller initialises it
 * @callsites: names of callsites; their numbers are the stacks of @heap
 * @log: state of reading
 */
struct mp_replay {
	struct mp_heap heap;
	struct mp_names callsites;
	struct mp_log log;
};

/**
 * mp_replay_heap - replay a log of allocator calls
 * @file: read to its end
 *
 * Return: 0; -EBADMSG if a line is invalid, see @log; -ENOMEM; -EIO.
 */
int mp_replay_heap(struct mp_replay *replay, FILE *file);

/** mp_replay_free - free all */
void mp_replay_free(struct mp_replay *replay);

#endif
