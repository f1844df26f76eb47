/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * sections: what named parts of a run took, in units and in heap
 *
 * One implementation for a kernel module, a library and memprofctl: of a libc it
 * needs memcpy(), memcmp(), memmove() and memset() only, memory comes from whoever calls.
 * One state belongs to one thread: there is no lock.
 */
#ifndef MP_SECTIONS_H
#define MP_SECTIONS_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

/* Bytes of an id, at most. */
#define MP_SECTIONS_ID		255

/**
 * struct mp_sections_limits - what one state may hold
 * @depth: invocations inside of the outermost one
 * @open: sections that were started and not ended, of all invocations
 * @completed: sections that wait for a flush, of all invocations
 */
struct mp_sections_limits {
	size_t depth;
	size_t open;
	size_t completed;
};

/* What a task or a thread gets; MEMPROF_SECTION_MAX_* of the uapi say the same. */
#define MP_SECTIONS_LIMITS { .depth = 16, .open = 128, .completed = 16384 }

/**
 * struct mp_sections_memory - where memory comes from
 * @resize: like realloc(); a @size of 0 frees, and @old may be NULL then too
 * @context: handed to @resize
 */
struct mp_sections_memory {
	void *(*resize)(void *context, void *old, size_t old_size, size_t size);
	void *context;
};

/**
 * struct mp_section_value - what meters showed, or a difference of them
 * @cu: units that are left: counts down
 * @heap: bytes in use: counts up; 0 is unknown
 */
struct mp_section_value {
	uint64_t cu;
	uint64_t heap;
};

/**
 * struct mp_section_view - what is seen beside the meters, from a beginning that
 * does not matter; of a completed section: between its start and its end
 * @time_ns: of a clock; of a completed section: at its start
 * @allocated, @freed, @touched: bytes
 * @grown: bytes; wraps around where there were less
 * @streams: bits, of those that were watched; of a section: at both ends
 */
struct mp_section_view {
	uint64_t time_ns;
	uint64_t allocated;
	uint64_t freed;
	uint64_t touched;
	uint64_t grown;
	uint32_t streams;
};

/**
 * struct mp_section - a completed one
 * @id: @id_len bytes of any value, without an end
 * @index: since the last flush of its invocation, from 1
 * @has_heap: whether there was a value at both ends
 * @total: from its start to its end
 * @net: without the totals of its direct children
 * @remaining_heap: as it was at its end
 * @start_seq, @end_seq: when, in the order of all starts and ends of the state;
 *	so what is inside of it lies between
 * @view: what was seen in it
 * @end_ns: of the view's clock
 */
struct mp_section {
	char *id;
	uint32_t id_len;
	bool has_heap;
	uint64_t index;
	struct mp_section_value total;
	struct mp_section_value net;
	uint64_t remaining_heap;
	uint64_t start_seq;
	uint64_t end_seq;
	struct mp_section_view view;
	uint64_t end_ns;
};

struct mp_sections_open;
struct mp_sections_lump;
struct mp_sections_frame;

/**
 * struct mp_sections - the state of one thread
 * @lost: sections that ended and found no room, or whose meters had failed
 * @view: what is seen now; the caller's to set before a start and an end
 */
struct mp_sections {
	struct mp_sections_limits limits;
	struct mp_sections_memory memory;
	struct mp_sections_open *open;
	size_t nr_open, max_open;
	uint32_t first, last, free;	/* of the open ones, by number */
	uint32_t *buckets;		/* of the ids of open ones */
	size_t nr_buckets;
	struct mp_sections_lump *lumps;
	size_t nr_lumps, max_lumps;
	struct mp_section *done;
	size_t nr_done, max_done;
	struct mp_sections_frame *frames;
	size_t nr_frames, max_frames;
	uint64_t last_seq;
	uint64_t index;
	uint64_t lost;
	struct mp_section_view view;
};

/** mp_sections_init - an empty state; takes no memory yet */
void mp_sections_init(struct mp_sections *sections,
		      const struct mp_sections_limits *limits,
		      const struct mp_sections_memory *memory);

/**
 * mp_sections_start - a section begins
 * @id: @id_len bytes, copied
 * @value: what the meters show; NULL: nothing
 *
 * Return: 0; -ENAMETOOLONG; -EMFILE with too many open; -EOPNOTSUPP without a
 * @value; -ENOMEM. Nothing changed after an error.
 */
int mp_sections_start(struct mp_sections *sections, const char *id, size_t id_len,
		      const struct mp_section_value *value);

/**
 * mp_sections_end - the section of that id that started last ends
 *
 * Only the current invocation's are looked at.
 *
 * Return: 0; -ENOENT where none is open, -ENOMEM, with nothing changed; -ENOSPC
 * where too many wait for a flush: it ended and counts as a child, and is @lost;
 * -EIO without a @value: it ended and is @lost.
 */
int mp_sections_end(struct mp_sections *sections, const char *id, size_t id_len,
		    const struct mp_section_value *value);

/**
 * mp_sections_completed - what a flush shows, in the order of completion
 * @nr: out, how many
 *
 * They stay until mp_sections_clear(), so that many can be read in pieces.
 */
const struct mp_section *mp_sections_completed(const struct mp_sections *sections,
					       size_t *nr);

/**
 * mp_sections_clear - ends a flush: forget what completed
 *
 * Open sections stay open, and show at the flush after their end.
 */
void mp_sections_clear(struct mp_sections *sections);

/**
 * mp_sections_invoke - an invocation begins, with no sections
 *
 * Return: 0; -ELOOP where it would be too deep; -ENOMEM.
 */
int mp_sections_invoke(struct mp_sections *sections);

/**
 * mp_sections_leave - the invocation ends, well or not; flush it before
 *
 * Forgets its sections, open ones too. The outermost one begins anew.
 */
void mp_sections_leave(struct mp_sections *sections);

/** mp_sections_free - free all; no section is left, open or not */
void mp_sections_free(struct mp_sections *sections);

/**
 * mp_sections_way() - what a meter counts between two calls that follow at once
 * @mean: of the gaps seen before; 0: none
 * @gap: between two more, with nothing in between
 *
 * Return: their running mean. A gap in which the thread was disturbed counts as
 * twice the mean at most.
 */
static inline uint64_t mp_sections_way(uint64_t mean, uint64_t gap)
{
	if (!mean)
		return gap;
	return gap < mean ? mean - (mean - gap) / 8 :
	       mean + (gap < 2 * mean ? gap - mean : mean) / 8;
}

#endif
