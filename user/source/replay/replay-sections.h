/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay-sections: replays a log of section operations
 */
#ifndef MP_REPLAY_SECTIONS_H
#define MP_REPLAY_SECTIONS_H

#include "log.h"
#include "sections.h"

/**
 * struct mp_replay_sections - state of the replay
 * @sections: the engine
 * @log: state of reading
 * @flush: called with the completed sections of a flush, if there are any
 * @complain: called if the engine refuses an operation; the replay continues
 */
struct mp_replay_sections {
	struct mp_sections sections;
	struct mp_log log;
	int (*flush)(const struct mp_section *sections, size_t nr);
	void (*complain)(const struct mp_replay_sections *replay, int err,
			 const char *op, const char *id);
};

/**
 * mp_replay_sections - replay a log of sections
 * @replay: @flush and @complain are set. Call mp_replay_sections_free()
 *	afterwards
 * @file: read to its end
 *
 * Return: 0; -EBADMSG if a line is invalid, see @log; -ENOMEM; -EIO; the error
 * of @flush.
 */
int mp_replay_sections(struct mp_replay_sections *replay, FILE *file);

/** mp_replay_sections_free - free all */
void mp_replay_sections_free(struct mp_replay_sections *replay);

#endif
