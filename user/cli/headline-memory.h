/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * headline-memory: sentences of memory that is not told by who keeps his blocks
 *
 * All are about the first process of a table, or the only one. @text has MP_HINT_SIZE bytes.
 * Each returns whether there is something to tell.
 */
#ifndef MP_HEADLINE_MEMORY_H
#define MP_HEADLINE_MEMORY_H

#include "writer.h"

/**
 * mp_headline_parts - write what most of the RSS of a process is made of
 * @is_told: if these are blocks that live, there is more to say: nothing is written
 */
bool mp_headline_parts(const struct mp_out *out, const struct mp_row *process, bool is_told,
		       char *text);

/** mp_headline_pages - write how much is empty of the pages of living blocks */
bool mp_headline_pages(const struct mp_out *out, const struct mp_row *process, char *text);

/**
 * mp_headline_mapped - write that a process grew by memory that it maps itself
 * @sites: has the rows of callsites, or NULL
 *
 * A pool, or a language's own heap, asks the kernel and not malloc().
 */
bool mp_headline_mapped(const struct mp_out *out, const struct mp_profile *sites,
			const struct mp_row *process, char *text);

/**
 * mp_headline_filled - write that a process grew in memory that it had mapped before
 * @sites: has the rows of callsites, or NULL
 *
 * Such as a pool, a chunk of which is larger than what was used of it meanwhile.
 */
bool mp_headline_filled(const struct mp_out *out, const struct mp_profile *sites,
			const struct mp_row *process, char *text);

/**
 * mp_headline_settled - write whether the only process, which began with the recording, has
 * grown in the second half of it
 * @sites: has the rows of callsites, or NULL
 */
bool mp_headline_settled(const struct mp_out *out, const struct mp_profile *sites,
			 const struct mp_row *process, char *text);

#endif
