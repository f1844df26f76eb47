/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay: a text log as a source, one JSON object per line
 */
#ifndef MP_REPLAY_H
#define MP_REPLAY_H

#include "heap.h"
#include "log.h"
#include "names.h"

#include <stdio.h>

/**
 * struct mp_replay - how far a log was read
 * @heap: what came of it; set up by the caller
 * @callsites: their names; stacks of @heap are their numbers
 * @log: the last line that was read, and what is wrong with it
 */
struct mp_replay {
	struct mp_heap heap;
	struct mp_names callsites;
	struct mp_log log;
};

/**
 * mp_replay_heap - feed a log of allocator calls to the engine
 * @file: to its end
 *
 * Return: 0; -EBADMSG where a line is wrong, see @log; -ENOMEM, -EIO.
 */
int mp_replay_heap(struct mp_replay *replay, FILE *file);

/** mp_replay_free - free all that it holds */
void mp_replay_free(struct mp_replay *replay);

#endif
