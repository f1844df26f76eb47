// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * sections: started, nested, crossed and ended
 *
 * A kernel module and a library compile this very file: no libc beyond memcpy(),
 * memcmp() and memmove(), no stack worth a mention, every array has a limit.
 *
 * Which completed sections are direct children is known only when the parent ends:
 * a section may cross others. So completed totals wait as lumps. Of the sections
 * that are still open, a lump is inside those that started before it, and it is
 * a direct child of those that started after whatever contains it (@hidden). Lumps
 * that are the same to all open sections are one. Without crossings there is one
 * at most per open section, and an end costs the lumps that it takes away.
 */
#include "sections.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <string.h>
#endif

#define FIRST_ROOM	16

/* @hash: of the id, so that looking for one seldom reads others. */
struct mp_sections_open {
	char *id;
	uint32_t id_len;
	uint32_t hash;
	uint64_t seq;
	struct mp_section_value start;
	struct mp_section_view view;
};

/* Totals of sections that started at @start; @hidden: 0, or their container's seq. */
struct mp_sections_lump {
	uint64_t start;
	uint64_t hidden;
	struct mp_section_value total;
};

/* Where an invocation's part of each array begins; the caller's @index. */
struct mp_sections_frame {
	size_t open;
	size_t lumps;
	size_t done;
	uint64_t index;
};

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a + b < a ? ~(uint64_t)0 : a + b;
}

static void add(struct mp_section_value *to, const struct mp_section_value *value)
{
	to->cu = plus(to->cu, value->cu);
	to->heap = plus(to->heap, value->heap);
}

static void *resize(struct mp_sections *sections, void *old, size_t old_size,
		    size_t size)
{
	return sections->memory.resize(sections->memory.context, old, old_size,
				       size);
}

/* Makes room for one more; returns the array, which may have moved, or NULL. */
static void *grow(struct mp_sections *sections, void *array, size_t nr,
		  size_t *max, size_t size)
{
	size_t more = *max ? *max * 2 : FIRST_ROOM;

	if (nr < *max)
		return array;
	array = resize(sections, array, *max * size, more * size);
	if (array)
		*max = more;
	return array;
}

/* Of an array of the state: false without memory, and nothing changed. */
#define GROW(sections, array, nr, max) ({				\
	void *grown_ = grow(sections, (sections)->array, (sections)->nr,	\
			    &(sections)->max, sizeof(*(sections)->array));	\
	if (grown_)							\
		(sections)->array = grown_;				\
	grown_ != NULL;							\
})

static struct mp_sections_frame frame(const struct mp_sections *sections)
{
	if (sections->nr_frames)
		return sections->frames[sections->nr_frames - 1];
	return (struct mp_sections_frame){ 0 };
}

void mp_sections_init(struct mp_sections *sections,
		      const struct mp_sections_limits *limits,
		      const struct mp_sections_memory *memory)
{
	*sections = (struct mp_sections){ .limits = *limits, .memory = *memory };
}

/* FNV-1a: whoever makes ids collide slows down himself. */
static uint32_t hash_of(const char *id, size_t id_len)
{
	uint32_t hash = 2166136261U;

	while (id_len--)
		hash = (hash ^ (unsigned char)*id++) * 16777619U;
	return hash;
}

int mp_sections_start(struct mp_sections *sections, const char *id, size_t id_len,
		      const struct mp_section_value *value)
{
	char *copy;

	if (id_len > MP_SECTIONS_ID)
		return -ENAMETOOLONG;
	if (sections->nr_open >= sections->limits.open)
		return -EMFILE;
	if (!GROW(sections, open, nr_open, max_open))
		return -ENOMEM;
	/* an id of no bytes has memory too: none means that there is none left */
	copy = resize(sections, NULL, 0, id_len + 1);
	if (!copy)
		return -ENOMEM;
	if (id_len)
		memcpy(copy, id, id_len);
	sections->open[sections->nr_open++] = (struct mp_sections_open){
		.id = copy, .id_len = id_len, .hash = hash_of(id, id_len),
		.seq = ++sections->last_seq, .start = *value,
		.view = sections->view,
	};
	return 0;
}

static bool is_called(const struct mp_sections_open *open, uint32_t hash,
		      const char *id, size_t id_len)
{
	return open->hash == hash && open->id_len == id_len &&
	       (!id_len || !memcmp(open->id, id, id_len));
}

/* Number of open sections, of the first ones, that started before @seq. */
static size_t started_before(const struct mp_sections *sections, uint64_t seq)
{
	size_t low = 0, high = sections->nr_open, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (sections->open[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first open section that a lump is a direct child of; @end: after the last. */
static size_t parents(const struct mp_sections *sections, size_t base,
		      const struct mp_sections_lump *lump, size_t *end)
{
	size_t first = started_before(sections, lump->hidden);

	*end = started_before(sections, lump->start);
	return first > base ? first : base;
}

/* Adds a lump to one that has the same parents, or where there is room for it. */
static void put_lump(struct mp_sections *sections, size_t base_open,
		     size_t base_lumps, const struct mp_sections_lump *lump)
{
	size_t first, end, other_first, other_end, i = sections->nr_lumps;

	first = parents(sections, base_open, lump, &end);
	if (first >= end)
		return;
	while (i-- > base_lumps) {
		other_first = parents(sections, base_open, &sections->lumps[i],
				      &other_end);
		if (other_end != end)
			break;
		if (other_first != first)
			continue;
		add(&sections->lumps[i].total, &lump->total);
		return;
	}
	sections->lumps[sections->nr_lumps++] = *lump;
}

/*
 * The section of @seq, no longer among the open ones, has ended: it is the parent
 * of what started since, as far as that has none yet. Adds up those in @children.
 * There is room for one lump more.
 */
static void adopt(struct mp_sections *sections, uint64_t seq,
		  const struct mp_section_value *total,
		  struct mp_section_value *children)
{
	struct mp_sections_frame base = frame(sections);
	struct mp_sections_lump own = { .start = seq, .total = *total }, lump;
	size_t end = sections->nr_lumps, first = end, i;

	while (first > base.lumps && sections->lumps[first - 1].start > seq)
		first--;
	/* kept apart at the end: what is put back takes the place of what was */
	for (i = first; i < end; i++) {
		if (sections->lumps[i].hidden >= seq)
			continue;
		add(children, &sections->lumps[i].total);
		sections->lumps[i].hidden = seq;
	}
	memmove(&sections->lumps[first + 1], &sections->lumps[first],
		(end - first) * sizeof(lump));
	sections->nr_lumps = first;
	put_lump(sections, base.open, base.lumps, &own);
	for (i = first; i < end; i++) {
		lump = sections->lumps[i + 1];
		put_lump(sections, base.open, base.lumps, &lump);
	}
}

static void forget(struct mp_sections *sections, char *id, size_t id_len)
{
	resize(sections, id, id_len + 1, 0);
}

static int complete(struct mp_sections *sections,
		    const struct mp_section *section)
{
	if (sections->nr_done >= sections->limits.completed ||
	    !GROW(sections, done, nr_done, max_done)) {
		forget(sections, section->id, section->id_len);
		sections->lost++;
		return -ENOSPC;
	}
	sections->done[sections->nr_done] = *section;
	sections->done[sections->nr_done++].index = ++sections->index;
	return 0;
}

/* What came between a start and now. */
static struct mp_section_view since(const struct mp_sections *sections,
				    const struct mp_section_view *start)
{
	const struct mp_section_view *now = &sections->view;

	return (struct mp_section_view){
		.time_ns = start->time_ns,
		.allocated = now->allocated - start->allocated,
		.freed = now->freed - start->freed,
		.touched = now->touched - start->touched,
		.grown = now->grown - start->grown,
		.streams = now->streams & start->streams,
	};
}

/* Ends what was taken out of the open ones. */
static int end_open(struct mp_sections *sections,
		    const struct mp_sections_open *open,
		    const struct mp_section_value *value)
{
	struct mp_section_value children = { 0 };
	struct mp_section section = {
		.id = open->id, .id_len = open->id_len,
		.has_heap = open->start.heap && value->heap,
		.total.cu = minus(open->start.cu, value->cu),
		.start_seq = open->seq, .end_seq = ++sections->last_seq,
		.view = since(sections, &open->view),
		.end_ns = sections->view.time_ns,
	};

	if (section.has_heap) {
		section.total.heap = minus(value->heap, open->start.heap);
		section.remaining_heap = value->heap;
	}
	adopt(sections, open->seq, &section.total, &children);
	section.net.cu = minus(section.total.cu, children.cu);
	if (section.has_heap)
		section.net.heap = minus(section.total.heap, children.heap);
	return complete(sections, &section);
}

int mp_sections_end(struct mp_sections *sections, const char *id, size_t id_len,
		    const struct mp_section_value *value)
{
	size_t base = frame(sections).open, i = sections->nr_open;
	struct mp_sections_open open;
	uint32_t hash;

	if (id_len > MP_SECTIONS_ID)
		return -ENOENT;
	hash = hash_of(id, id_len);
	while (i > base && !is_called(&sections->open[i - 1], hash, id, id_len))
		i--;
	if (i-- == base)
		return -ENOENT;
	if (!GROW(sections, lumps, nr_lumps, max_lumps))
		return -ENOMEM;
	open = sections->open[i];
	sections->nr_open--;
	memmove(&sections->open[i], &sections->open[i + 1],
		(sections->nr_open - i) * sizeof(open));
	return end_open(sections, &open, value);
}

const struct mp_section *mp_sections_completed(const struct mp_sections *sections,
					       size_t *nr)
{
	size_t base = frame(sections).done;

	*nr = sections->nr_done - base;
	return *nr ? &sections->done[base] : NULL;
}

void mp_sections_clear(struct mp_sections *sections)
{
	size_t base = frame(sections).done;
	struct mp_section *section;

	while (sections->nr_done > base) {
		section = &sections->done[--sections->nr_done];
		forget(sections, section->id, section->id_len);
	}
	sections->index = 0;
}

int mp_sections_invoke(struct mp_sections *sections)
{
	if (sections->nr_frames >= sections->limits.depth)
		return -ELOOP;
	if (!GROW(sections, frames, nr_frames, max_frames))
		return -ENOMEM;
	sections->frames[sections->nr_frames++] = (struct mp_sections_frame){
		.open = sections->nr_open, .lumps = sections->nr_lumps,
		.done = sections->nr_done, .index = sections->index,
	};
	sections->index = 0;
	return 0;
}

void mp_sections_leave(struct mp_sections *sections)
{
	struct mp_sections_frame base = frame(sections);
	struct mp_sections_open *open;

	mp_sections_clear(sections);
	while (sections->nr_open > base.open) {
		open = &sections->open[--sections->nr_open];
		forget(sections, open->id, open->id_len);
	}
	sections->nr_lumps = base.lumps;
	sections->index = base.index;
	if (sections->nr_frames)
		sections->nr_frames--;
}

void mp_sections_free(struct mp_sections *sections)
{
	while (sections->nr_frames)
		mp_sections_leave(sections);
	mp_sections_leave(sections);
	resize(sections, sections->open,
	       sections->max_open * sizeof(*sections->open), 0);
	resize(sections, sections->lumps,
	       sections->max_lumps * sizeof(*sections->lumps), 0);
	resize(sections, sections->done,
	       sections->max_done * sizeof(*sections->done), 0);
	resize(sections, sections->frames,
	       sections->max_frames * sizeof(*sections->frames), 0);
	mp_sections_init(sections, &sections->limits, &sections->memory);
}
