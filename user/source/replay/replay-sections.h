/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay-sections: a log of sections as a source
 */
#ifndef MP_REPLAY_SECTIONS_H
#define MP_REPLAY_SECTIONS_H

#include "log.h"
#include "sections.h"

/**
 * struct mp_replay_sections - how far a log was read
 * @sections: what came of it
 * @flush: called for what completed, when a flush has anything to show
 * @complain: called for a line that the engine refuses; the log goes on
 */
struct mp_replay_sections {
	struct mp_sections sections;
	struct mp_log log;
	int (*flush)(const struct mp_section *sections, size_t nr);
	void (*complain)(const struct mp_replay_sections *replay, int err,
			 const char *op, const char *id);
};

/**
 * mp_replay_sections - feed a log of sections to the engine
 * @replay: @flush and @complain set; mp_replay_sections_free() is due
 * @file: to its end
 *
 * Return: 0; -EBADMSG where a line is wrong, see @log; -ENOMEM, -EIO, or what
 * @flush returned.
 */
int mp_replay_sections(struct mp_replay_sections *replay, FILE *file);

/** mp_replay_sections_free - free all that it holds */
void mp_replay_sections_free(struct mp_replay_sections *replay);

#endif
