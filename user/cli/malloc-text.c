// SPDX-License-Identifier: GPL-2.0-only
/*
 * malloc-text: compares what is in use and free inside malloc with what was followed
 */
#include "malloc-text.h"
#include "human.h"

#include <stdio.h>

/* If more than 1/10 was not read, nothing is said of all of it. */
#define LEAST_UNREAD	10

/* Blocks beside what is free are told from this part on. */
#define LEAST_BESIDE	16

enum mp_malloc_kind mp_malloc_text_write(const struct mp_row *process, uint64_t bytes,
					 const char *blocks, char *text)
{
	const uint64_t used = process->value[MP_MALLOC_USED];
	const uint64_t followed = process->value[MP_HEAP_RESIDENT] > bytes ?
				  process->value[MP_HEAP_RESIDENT] - bytes : 0;
	uint64_t free = process->value[MP_MALLOC_FREE];
	uint64_t trim = process->value[MP_MALLOC_TRIM];
	const uint64_t unread = process->value[MP_MALLOC_UNREAD];
	const uint64_t seen = used + process->value[MP_MALLOC_FREE];
	char all[MP_HUMAN_SIZE], part[MP_HUMAN_SIZE], rest[MP_HUMAN_SIZE];
	char beside[64] = "";

	/* what lives may be an estimate */
	if (free > bytes)
		free = bytes;
	if (trim > free)
		trim = free;
	if (!used)
		return MP_MALLOC_UNKNOWN;
	mp_human_bytes(all, free);
	mp_human_bytes(part, trim);
	if (used > followed && used - followed >= bytes / LEAST_BESIDE)
		snprintf(beside, sizeof(beside), "%s is in blocks %s, ",
			 mp_human_bytes(rest, used - followed), blocks);
	if (free >= bytes / 2 && trim >= free / 2) {
		snprintf(text, MP_MALLOC_TEXT_SIZE,
			 "%sat least %s is " MP_FREE_IN_MALLOC ", and malloc_trim(0) would give %s back to the kernel",
			 beside, all, part);
		return MP_MALLOC_GIVES;
	}
	if (free >= bytes / 2) {
		snprintf(text, MP_MALLOC_TEXT_SIZE,
			 "%sat least %s is " MP_FREE_IN_MALLOC ", most of it on pages that living blocks keep",
			 beside, all);
		return MP_MALLOC_KEEPS;
	}
	if (unread > seen / LEAST_UNREAD) {
		snprintf(text, MP_MALLOC_TEXT_SIZE,
			 "%s of malloc's heap could be read, and %s of that is free",
			 mp_human_bytes(part, seen), mp_human_bytes(all, free));
		return MP_MALLOC_UNREAD_MOST;
	}
	if (used > followed && used - followed >= bytes / 2) {
		snprintf(text, MP_MALLOC_TEXT_SIZE, "%s is in blocks %s",
			 mp_human_bytes(all, used - followed), blocks);
		return MP_MALLOC_HAS_BLOCKS;
	}
	snprintf(text, MP_MALLOC_TEXT_SIZE,
		 "most of it is outside of malloc's heaps: the program or its runtime maps it itself, or malloc did for large blocks %s", blocks);
	return MP_MALLOC_HAS_NOT;
}
