/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * sections: measures named parts of a thread's run, in units and in bytes of heap
 *
 * A unit is what the caller's meter counts, such as a nanosecond of CPU time. The
 * kernel module, the library and memprofctl use this same code. It needs memcpy(),
 * memcmp(), memmove() and memset() only, and the caller provides the memory. A
 * state belongs to one thread, so there is no lock.
 *
 * Nested invocations have separate sections: while an invocation runs, the open
 * sections of the invocation that began it cannot be ended.
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

/* Limit of the length of an id, in bytes. */
#define MP_SECTIONS_ID		255

/**
 * struct mp_sections_limits - limits of one state
 * @depth: number of nested invocations
 * @open: number of open sections in all invocations
 * @completed: number of sections that wait for a flush, in all invocations
 */
struct mp_sections_limits {
	size_t depth;
	size_t open;
	size_t completed;
};

/* Limits for a thread, equal to MEMPROF_SECTION_MAX_* in <linux/memprof.h>. */
#define MP_SECTIONS_LIMITS { .depth = 16, .open = 128, .completed = 16384 }

/**
 * struct mp_sections_memory - memory allocator
 * @resize: like realloc(), but it also gets the old size. A @size of 0 frees @old;
 *	@old may be NULL then
 * @context: passed to @resize
 */
struct mp_sections_memory {
	void *(*resize)(void *context, void *old, size_t old_size, size_t size);
	void *context;
};

/**
 * struct mp_section_value - values of both meters, or a difference of such values
 * @cu: remaining units; this meter counts down
 * @heap: bytes of heap in use; this meter counts up. 0: not known
 */
struct mp_section_value {
	uint64_t cu;
	uint64_t heap;
};

/**
 * struct mp_section_view - sums of the event streams. They begin at any value, so
 * only differences have a meaning. In a completed section: the difference between
 * its start and its end
 * @time_ns: time of the caller's clock; in a completed section the time of its start
 * @allocated, @freed, @touched: bytes
 * @grown: bytes; a negative value wraps around
 * @streams: bits of the active streams; in a completed section the streams that
 *	were active at its start and at its end
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
 * @index: number of the section since the last flush of the invocation, from 1
 * @total: change of the meters from the section's start to its end
 * @net: @total without the totals of the direct children
 * @remaining_heap: bytes of heap in use at the end of the section
 * @start_seq, @end_seq: numbers of the start and the end in the order of all starts
 *	and ends of the state. The numbers of contained sections are between them
 * @view: change of the event streams, see struct mp_section_view
 * @end_ns: time of the section's end
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
 * @lost: number of sections that ended when there was no room, or whose meters
 *	failed
 * @view: current sums of the event streams; the caller sets them before a start
 *	and an end
 */
struct mp_sections {
	struct mp_sections_limits limits;
	struct mp_sections_memory memory;
	struct mp_sections_open *open;
	size_t nr_open, max_open;
	uint32_t first, last, free;	/* of open slots; of free slots */
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
 * Return: 0; -ENAMETOOLONG if the id is too long; -EMFILE if too many sections are
 * open; -EOPNOTSUPP if @value is NULL; -ENOMEM. An error changes nothing.
 */
int mp_sections_start(struct mp_sections *sections, const char *id, size_t id_len,
		      const struct mp_section_value *value);

/**
 * mp_sections_end - end the section of that id that started last
 *
 * Only sections of the current invocation are searched.
 *
 * Return: 0. -ENOENT if no section of that id is open, or -ENOMEM: nothing changed.
 * -ENOSPC if too many sections wait for a flush: the section ended and counts as a
 * child of others, but it is lost and counted in @lost. -EIO if @value is NULL: the
 * section ended and is counted in @lost.
 */
int mp_sections_end(struct mp_sections *sections, const char *id, size_t id_len,
		    const struct mp_section_value *value);

/**
 * mp_sections_completed - get the sections of the next flush, in the order of their
 * ends
 * @nr: out: number of sections
 *
 * The sections stay until mp_sections_clear(), so they can be read in parts.
 */
const struct mp_section *mp_sections_completed(const struct mp_sections *sections,
					       size_t *nr);

/**
 * mp_sections_clear - end a flush: remove the completed sections
 *
 * Open sections stay open. Each is part of the first flush after its end.
 */
void mp_sections_clear(struct mp_sections *sections);

/**
 * mp_sections_invoke - a nested invocation begins; it has no sections yet
 *
 * Return: 0; -ELOOP if too many invocations are nested; -ENOMEM.
 */
int mp_sections_invoke(struct mp_sections *sections);

/**
 * mp_sections_leave - the current invocation ends, with success or with a failure
 *
 * All its sections are removed, open and completed ones; so flush it before. If it
 * is the outermost invocation, a new one begins.
 */
void mp_sections_leave(struct mp_sections *sections);

/** mp_sections_free - free all memory; the object is empty afterwards */
void mp_sections_free(struct mp_sections *sections);

/**
 * mp_sections_way - update the mean cost of one measurement, in units
 * @mean: mean so far; 0: none
 * @gap: new measurement: the count of a meter between two adjacent calls, with no
 *	work in between
 *
 * Return: the new running mean, with weight 1/8 for @gap. A large gap, such as that
 * of an interrupted thread, counts as at most twice the mean and 64 units: the clock of a
 * virtual machine may stand still and then go on, and a mean of nearly 0 has to grow again.
 */
static inline uint64_t mp_sections_way(uint64_t mean, uint64_t gap)
{
	const uint64_t most = mean + 64;

	if (!mean)
		return gap;
	return gap < mean ? mean - (mean - gap) / 8 :
	       mean + (gap - mean < most ? gap - mean : most) / 8;
}

#endif
