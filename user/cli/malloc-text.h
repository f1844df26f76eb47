/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * malloc-text: says what a heap has beside the living blocks that were followed
 */
#ifndef MP_MALLOC_TEXT_H
#define MP_MALLOC_TEXT_H

#include "profile.h"

#define MP_MALLOC_TEXT_SIZE	200

/* What a sentence has of a heap that is mostly free */
#define MP_FREE_IN_MALLOC	"free inside malloc"

/**
 * enum mp_malloc_kind - where most of it is
 * @MP_MALLOC_UNKNOWN: malloc was not looked into, or is not glibc's
 * @MP_MALLOC_GIVES: free, in whole pages
 * @MP_MALLOC_KEEPS: free, on pages with living blocks
 * @MP_MALLOC_HAS_BLOCKS: in blocks that were not followed
 * @MP_MALLOC_HAS_NOT: elsewhere
 * @MP_MALLOC_UNREAD_MOST: not known: too much was not read
 */
enum mp_malloc_kind {
	MP_MALLOC_UNKNOWN,
	MP_MALLOC_GIVES,
	MP_MALLOC_KEEPS,
	MP_MALLOC_HAS_BLOCKS,
	MP_MALLOC_HAS_NOT,
	MP_MALLOC_UNREAD_MOST,
};

/**
 * mp_malloc_text_write - write where memory of a heap is, with bytes
 * @bytes: of its HEAP, what is in no living block that was followed
 * @blocks: which blocks these are, if most of it is in blocks
 * @text: MP_MALLOC_TEXT_SIZE bytes; not written if nothing is known
 */
enum mp_malloc_kind mp_malloc_text_write(const struct mp_row *process, uint64_t bytes,
					 const char *blocks, char *text);

#endif
