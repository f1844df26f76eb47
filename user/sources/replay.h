/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay: a text log as a source, one JSON object per line
 */
#ifndef MP_REPLAY_H
#define MP_REPLAY_H

#include "heap.h"
#include "names.h"

#include <stdio.h>

#define MP_REPLAY_WHY_SIZE	160

/**
 * struct mp_replay - how far a log was read
 * @heap: what came of it; set up by the caller
 * @callsites: their names; stacks of @heap are their numbers
 * @line: number of the last line that was read, from 1
 * @why: what is wrong with it
 */
struct mp_replay {
	struct mp_heap heap;
	struct mp_names callsites;
	size_t line;
	char why[MP_REPLAY_WHY_SIZE];
};

/**
 * mp_replay_heap - feed a log of allocator calls to the engine
 * @file: to its end
 *
 * Return: 0; -EBADMSG where a line is wrong, with @line and @why; -ENOMEM, -EIO.
 */
int mp_replay_heap(struct mp_replay *replay, FILE *file);

/** mp_replay_free - free all that it holds */
void mp_replay_free(struct mp_replay *replay);

#endif
