/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keepers-text: what the callsites of a process keep, in a sentence
 */
#ifndef MP_KEEPERS_TEXT_H
#define MP_KEEPERS_TEXT_H

#include "keepers.h"

/* What a sentence has of a process that does not grow: then it names no callsite */
#define MP_NOT_GROWN	"has not grown"
#define MP_HARDLY_GROWN	"has hardly grown"
#define MP_NOT_GROWING	"does not grow"

/* Enough for the longest sentence */
#define MP_KEEPERS_TEXT_SIZE	1024

/** mp_keepers_name - write the command of a process, and its id if there are others */
void mp_keepers_name(char *text, size_t size, const struct mp_row *process, bool is_alone);

/**
 * mp_keepers_brief - write that what was seen is short, and how long to look
 * @is_watched: the session goes on, so the user waits
 */
void mp_keepers_brief(char *text, size_t size, uint64_t seen_ns, bool is_watched);

/**
 * mp_keepers_text - write who keeps what it allocates, or that it is too early to tell
 * @text: out: the sentence, printable, without a full stop
 * @size: of @text; MP_KEEPERS_TEXT_SIZE at least
 * @sites: as for mp_keepers_find()
 * @process: row of the process
 * @is_alone: there is no other one, so the sentence does not say which
 * @found: what mp_keepers_find() returned for them
 *
 * Return: the length of the sentence; 0 if there is nothing to say.
 */
size_t mp_keepers_text(char *text, size_t size, const struct mp_profile *sites,
		       const struct mp_row *process, bool is_alone,
		       const struct mp_keepers *found);

/**
 * mp_keepers_python - write what shows what keeps more and more in a Python that grows
 * @seen_ns: how long it was followed
 *
 * For where no callsite tells that.
 *
 * Return: whether the process is a Python that runs and has grown.
 */
bool mp_keepers_python(char *text, size_t size, const struct mp_row *process, bool is_alone,
		       uint64_t seen_ns);

#endif
