/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * sections: measures named parts of a thread's run, in units and in heap
 *
 * The kernel module, the library and memprofctl share this implementation. It
 * needs memcpy(), memcmp(), memmove() and memset() only, and the caller
 * provides the memory. A state belongs to one thread, so there is no lock.
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

/* Limit of the bytes of an id. */
#define MP_SECTIONS_ID		255

/**
 * struct mp_sections_limits - limits of one state
 * @depth: nested invocations
 * @open: open sections of all invocations
 * @completed: sections that wait for a flush, of all invocations
 */
struct mp_sections_limits {
	size_t depth;
	size_t open;
	size_t completed;
};

/* Limits for a thread, the same as MEMPROF_SECTION_MAX_* of the uapi. */
#define MP_SECTIONS_LIMITS { .depth = 16, .open = 128, .completed = 16384 }

/**
 * struct mp_sections_memory - memory allocator
 * @resize: like realloc(). A @size of 0 frees @old, which may then be NULL
 * @context: passed to @resize
 */
struct mp_sections_memory {
	void *(*resize)(void *context, void *old, size_t old_size, size_t size);
	void *context;
};

/**
 * struct mp_section_value - values of the meters, or their difference
 * @cu: units left: counts down
 * @heap: bytes in use: counts up; 0: not known
 */
struct mp_section_value {
	uint64_t cu;
	uint64_t heap;
};

/**
 * struct mp_section_view - values of the event streams, from an arbitrary zero.
 * In a completed section: the difference between its start and its end
 * @time_ns: time of a clock; in a completed section the time of its start
 * @allocated, @freed, @touched: bytes
 * @grown: bytes; a negative value wraps around
 * @streams: bits of the active streams; in a section of those active at both
 *	ends
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
 * struct mp_section - a completed section
 * @id: any bytes, without a NUL at the end
 * @id_len: bytes of @id
 * @has_heap: the heap is known at both ends
 * @index: number since the last flush of its invocation, from 1
 * @total: from its start to its end
 * @net: @total without the totals of its direct children
 * @remaining_heap: heap at its end
 * @start_seq, @end_seq: positions in the order of all starts and ends of the
 *	state. A section inside of it is between them
 * @view: event streams, see struct mp_section_view
 * @end_ns: time of its end
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
 * @lost: sections that ended without room, or whose meters failed
 * @view: current values; the caller sets them before a start and an end
 */
struct mp_sections {
	struct mp_sections_limits limits;
	struct mp_sections_memory memory;
	struct mp_sections_open *open;
	size_t nr_open, max_open;
	uint32_t first, last, free;	/* numbers of open sections */
	uint32_t *buckets;		/* by the hash of an id */
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

/** mp_sections_init - initialise an empty state; needs no memory */
void mp_sections_init(struct mp_sections *sections,
		      const struct mp_sections_limits *limits,
		      const struct mp_sections_memory *memory);

/**
 * mp_sections_start - a section starts
 * @id: copied; any bytes
 * @id_len: bytes of @id
 * @value: values of the meters; NULL: the meters failed
 *
 * Return: 0; -ENAMETOOLONG; -EMFILE if too many are open; -EOPNOTSUPP without a
 * @value; -ENOMEM. After an error nothing has changed.
 */
int mp_sections_start(struct mp_sections *sections, const char *id, size_t id_len,
		      const struct mp_section_value *value);

/**
 * mp_sections_end - end the section of that id that started last
 *
 * Only sections of the current invocation are searched.
 *
 * Return: 0. -ENOENT if none is open, or -ENOMEM: nothing changed. -ENOSPC if
 * too many wait for a flush: the section ended, counts as a child, and is
 * counted in @lost. -EIO without a @value: the section ended and is counted in
 * @lost.
 */
int mp_sections_end(struct mp_sections *sections, const char *id, size_t id_len,
		    const struct mp_section_value *value);

/**
 * mp_sections_completed - the sections of the next flush, in the order of
 * completion
 * @nr: out; their number
 *
 * They stay until mp_sections_clear(), so they can be read in pieces.
 */
const struct mp_section *mp_sections_completed(const struct mp_sections *sections,
					       size_t *nr);

/**
 * mp_sections_clear - end a flush: remove the completed sections
 *
 * Open sections stay open. They are part of the flush after their end.
 */
void mp_sections_clear(struct mp_sections *sections);

/**
 * mp_sections_invoke - an invocation begins, without sections
 *
 * Return: 0; -ELOOP if it would be too deep; -ENOMEM.
 */
int mp_sections_invoke(struct mp_sections *sections);

/**
 * mp_sections_leave - the invocation ends, also after a failure; flush it
 * before
 *
 * Its sections are removed, including open ones. The outermost invocation
 * begins again.
 */
void mp_sections_leave(struct mp_sections *sections);

/** mp_sections_free - free all; the result is empty */
void mp_sections_free(struct mp_sections *sections);

/**
 * mp_sections_way() - update the mean count of a meter between two adjacent
 * calls
 * @mean: mean so far; 0: none
 * @gap: one more measurement, with nothing in between
 *
 * Return: the running mean. If the thread was interrupted in a gap, the gap
 * counts as at most twice the mean.
 */
static inline uint64_t mp_sections_way(uint64_t mean, uint64_t gap)
{
	if (!mean)
		return gap;
	return gap < mean ? mean - (mean - gap) / 8 :
	       mean + (gap < 2 * mean ? gap - mean : mean) / 8;
}

#endif
