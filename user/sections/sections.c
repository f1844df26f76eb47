// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * sections: starts and ends sections, which may nest and cross
 *
 * The kernel module and the library compile this same file. It uses memcpy(),
 * memcmp(), memmove() and memset() only, needs little stack, and each array has
 * a limit.
 *
 * Sections may cross, so a section's direct children are known only when it ends.
 * Until then the totals of completed sections wait as lumps. A completed section is
 * inside of all open sections that started before it; these are its possible
 * parents. The first of them to end becomes a direct parent. Sections that started
 * before that parent are then no possible parents any more. So the possible
 * parents are always neighbours in the order of starts, and a lump stores the
 * first and the last of them. Lumps with the same parents are merged. If no
 * sections cross, there is at most one lump per open section, and the end of a
 * section costs the lumps that it removes. Else an end costs the lumps of all
 * sections that started later.
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

/*
 * A slot for an open section. Slots are numbered from 1; 0 means none. @before,
 * @after: the sections that started before and after this one. In a free slot,
 * @after is the next free slot. @same: the next section in the same hash bucket,
 * which started earlier.
 */
struct mp_sections_open {
	char *id;
	uint32_t id_len;
	uint32_t hash;
	uint32_t before, after, same;
	uint64_t seq;
	struct mp_section_value start;
	struct mp_section_view view;
};

/*
 * The sum of completed sections with the same possible parents. These are the open
 * sections with a seq from @bottom to @top. Lumps are sorted by @top, then by
 * @bottom.
 */
struct mp_sections_lump {
	uint64_t bottom;
	uint64_t top;
	struct mp_section_value total;
};

/*
 * State of the calling invocation when a nested invocation begins: @last (the
 * section that started last), the lengths of the arrays of lumps and of completed
 * sections, and @index.
 */
struct mp_sections_frame {
	uint32_t last;
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

static void add_value(struct mp_section_value *to, const struct mp_section_value *value)
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

/*
 * Makes room for one more element. Returns the array, which may have moved, or
 * NULL if memory is short.
 */
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

/* Makes room in an array of the state. False if memory is short; nothing changes then. */
#define GROW(sections, array, nr, max) ({				\
	void *grown_ = grow(sections, (sections)->array, (sections)->nr,	\
			    &(sections)->max, sizeof(*(sections)->array));	\
	if (grown_)							\
		(sections)->array = grown_;				\
	grown_ != NULL;							\
})

static struct mp_sections_frame current_frame(const struct mp_sections *sections)
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

/* FNV-1a, without a key: a program whose ids collide only slows itself down. */
static uint32_t hash_of(const char *id, size_t id_len)
{
	uint32_t hash = 2166136261U;

	while (id_len--)
		hash = (hash ^ (unsigned char)*id++) * 16777619U;
	return hash;
}

static struct mp_sections_open *open_at(const struct mp_sections *sections,
					uint32_t number)
{
	return &sections->open[number - 1];
}

static uint32_t *bucket_of(const struct mp_sections *sections, uint32_t hash)
{
	return &sections->buckets[hash & (sections->nr_buckets - 1)];
}

/*
 * Makes one hash bucket per slot for open sections, and adds all open sections to
 * the new buckets.
 */
static bool rebuild_buckets(struct mp_sections *sections)
{
	size_t size = sizeof(*sections->buckets), nr = sections->max_open;
	uint32_t *buckets, number;

	if (sections->nr_buckets == nr)
		return true;
	buckets = resize(sections, sections->buckets,
			 sections->nr_buckets * size, nr * size);
	if (!buckets)
		return false;
	memset(buckets, 0, nr * size);
	sections->buckets = buckets;
	sections->nr_buckets = nr;
	for (number = sections->first; number;
	     number = open_at(sections, number)->after) {
		buckets = bucket_of(sections, open_at(sections, number)->hash);
		open_at(sections, number)->same = *buckets;
		*buckets = number;
	}
	return true;
}

/* Returns the number of a free slot; 0 if memory is short. */
static uint32_t find_free(struct mp_sections *sections)
{
	if (sections->free)
		return sections->free;
	/* the list of free slots is empty: use a new slot at the end */
	return GROW(sections, open, nr_open, max_open) && rebuild_buckets(sections) ?
	       sections->nr_open + 1 : 0;
}

/* Appends a section to the list of open sections, and adds it to its hash bucket. */
static void link_open(struct mp_sections *sections, uint32_t number)
{
	struct mp_sections_open *open = open_at(sections, number);
	uint32_t *same = bucket_of(sections, open->hash);

	open->before = sections->last;
	open->after = 0;
	if (sections->last)
		open_at(sections, sections->last)->after = number;
	else
		sections->first = number;
	sections->last = number;
	open->same = *same;
	*same = number;
	sections->nr_open++;
}

static void unlink_open(struct mp_sections *sections, uint32_t number)
{
	struct mp_sections_open *open = open_at(sections, number);
	uint32_t *same = bucket_of(sections, open->hash);

	while (*same != number)
		same = &open_at(sections, *same)->same;
	*same = open->same;
	if (open->before)
		open_at(sections, open->before)->after = open->after;
	else
		sections->first = open->after;
	if (open->after)
		open_at(sections, open->after)->before = open->before;
	else
		sections->last = open->before;
	open->after = sections->free;
	sections->free = number;
	sections->nr_open--;
}

int mp_sections_start(struct mp_sections *sections, const char *id, size_t id_len,
		      const struct mp_section_value *value)
{
	uint32_t number;
	char *copy;

	if (id_len > MP_SECTIONS_ID)
		return -ENAMETOOLONG;
	if (sections->nr_open >= sections->limits.open)
		return -EMFILE;
	if (!value)
		return -EOPNOTSUPP;
	number = find_free(sections);
	if (!number)
		return -ENOMEM;
	/* one byte more, because resize() returns NULL for an empty id */
	copy = resize(sections, NULL, 0, id_len + 1);
	if (!copy)
		return -ENOMEM;
	if (id_len)
		memcpy(copy, id, id_len);
	if (number == sections->free)
		sections->free = open_at(sections, number)->after;
	*open_at(sections, number) = (struct mp_sections_open){
		.id = copy, .id_len = id_len, .hash = hash_of(id, id_len),
		.seq = ++sections->last_seq, .start = *value,
		.view = sections->view,
	};
	link_open(sections, number);
	return 0;
}

static bool has_id(const struct mp_sections_open *open, uint32_t hash,
		   const char *id, size_t id_len)
{
	return open->hash == hash && open->id_len == id_len &&
	       (!id_len || !memcmp(open->id, id, id_len));
}

/* Finds the section of an id that started last in the current invocation, or 0. */
static uint32_t find_open(const struct mp_sections *sections, const char *id,
			  size_t id_len)
{
	struct mp_sections_frame base = current_frame(sections);
	uint64_t older = base.last ? open_at(sections, base.last)->seq : 0;
	uint32_t hash = hash_of(id, id_len), number;

	if (!sections->nr_open)
		return 0;
	for (number = *bucket_of(sections, hash); number;
	     number = open_at(sections, number)->same) {
		if (open_at(sections, number)->seq <= older)
			return 0;
		if (has_id(open_at(sections, number), hash, id, id_len))
			return number;
	}
	return 0;
}

/* Finds the first lump from index @base on whose @top is at least the given one. */
static size_t first_lump(const struct mp_sections *sections, size_t base,
			 uint64_t top)
{
	size_t low = base, high = sections->nr_lumps, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (sections->lumps[middle].top < top)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * A section ends. Adds its direct children to @children. For these lumps, only
 * sections that started later than the ended one remain possible parents. Lumps
 * before index @first cannot be its children.
 */
static void take_children(struct mp_sections *sections, size_t first,
			  const struct mp_sections_open *ended,
			  struct mp_section_value *children)
{
	uint64_t next = ended->after ? open_at(sections, ended->after)->seq : 0;
	struct mp_sections_lump *to = &sections->lumps[first], *lump = to;
	struct mp_sections_lump *end = &sections->lumps[sections->nr_lumps];
	struct mp_sections_lump *previous = NULL;

	for (; lump < end; lump++) {
		if (lump->bottom <= ended->seq) {
			add_value(children, &lump->total);
			if (lump->top == ended->seq)
				continue;
			lump->bottom = next;
		}
		if (previous && previous->top == lump->top &&
		    previous->bottom == lump->bottom) {
			add_value(&previous->total, &lump->total);
			continue;
		}
		if (to != lump)
			*to = *lump;
		previous = to++;
	}
	sections->nr_lumps = to - sections->lumps;
}

/*
 * Adds the total of a section that ended. Its possible parents are all sections of
 * the same invocation that started earlier.
 */
static void add_lump(struct mp_sections *sections,
		     const struct mp_sections_open *ended,
		     const struct mp_section_value *total)
{
	struct mp_sections_frame base = current_frame(sections);
	struct mp_sections_lump lump = { .total = *total }, *to;
	size_t i;

	if (ended->before == base.last)
		return;
	lump.bottom = open_at(sections, base.last ? open_at(sections, base.last)->after :
			      sections->first)->seq;
	lump.top = open_at(sections, ended->before)->seq;
	i = first_lump(sections, base.lumps, lump.top);
	to = &sections->lumps[i];
	if (i < sections->nr_lumps && to->top == lump.top &&
	    to->bottom == lump.bottom) {
		add_value(&to->total, total);
		return;
	}
	memmove(to + 1, to, (sections->nr_lumps++ - i) * sizeof(*to));
	*to = lump;
}

static void free_id(struct mp_sections *sections, char *id, size_t id_len)
{
	resize(sections, id, id_len + 1, 0);
}

static int drop_section(struct mp_sections *sections, const struct mp_section *section,
			int err)
{
	free_id(sections, section->id, section->id_len);
	sections->lost++;
	return err;
}

static int append_completed(struct mp_sections *sections,
			    const struct mp_section *section)
{
	if (sections->nr_done >= sections->limits.completed ||
	    !GROW(sections, done, nr_done, max_done))
		return drop_section(sections, section, -ENOSPC);
	sections->done[sections->nr_done] = *section;
	sections->done[sections->nr_done++].index = ++sections->index;
	return 0;
}

/* Computes the change of the event streams since the start of a section. */
static struct mp_section_view view_delta(const struct mp_sections *sections,
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

/* Makes a completed section from an open section and the meters at its end. */
static struct mp_section end_section(struct mp_sections *sections,
				     const struct mp_sections_open *open,
				     const struct mp_section_value *value)
{
	struct mp_section_value children = { 0 };
	struct mp_section section = {
		.id = open->id, .id_len = open->id_len,
		.has_heap = open->start.heap && value->heap,
		.total.cu = minus(open->start.cu, value->cu),
		.start_seq = open->seq, .end_seq = ++sections->last_seq,
		.view = view_delta(sections, &open->view),
		.end_ns = sections->view.time_ns,
	};

	if (section.has_heap) {
		section.total.heap = minus(value->heap, open->start.heap);
		section.remaining_heap = value->heap;
	}
	take_children(sections, first_lump(sections, current_frame(sections).lumps, open->seq),
		      open, &children);
	add_lump(sections, open, &section.total);
	section.net.cu = minus(section.total.cu, children.cu);
	if (section.has_heap)
		section.net.heap = minus(section.total.heap, children.heap);
	return section;
}

int mp_sections_end(struct mp_sections *sections, const char *id, size_t id_len,
		    const struct mp_section_value *value)
{
	uint32_t number = id_len <= MP_SECTIONS_ID ?
			  find_open(sections, id, id_len) : 0;
	struct mp_section section;

	if (!number)
		return -ENOENT;
	if (!GROW(sections, lumps, nr_lumps, max_lumps))
		return -ENOMEM;
	section = end_section(sections, open_at(sections, number), value ? value :
			      &open_at(sections, number)->start);
	unlink_open(sections, number);
	return value ? append_completed(sections, &section) :
		       drop_section(sections, &section, -EIO);
}

const struct mp_section *mp_sections_completed(const struct mp_sections *sections,
					       size_t *nr)
{
	size_t base = current_frame(sections).done;

	*nr = sections->nr_done - base;
	return *nr ? &sections->done[base] : NULL;
}

void mp_sections_clear(struct mp_sections *sections)
{
	size_t base = current_frame(sections).done;
	struct mp_section *section;

	while (sections->nr_done > base) {
		section = &sections->done[--sections->nr_done];
		free_id(sections, section->id, section->id_len);
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
		.last = sections->last, .lumps = sections->nr_lumps,
		.done = sections->nr_done, .index = sections->index,
	};
	sections->index = 0;
	return 0;
}

void mp_sections_leave(struct mp_sections *sections)
{
	struct mp_sections_frame base = current_frame(sections);
	struct mp_sections_open *open;

	mp_sections_clear(sections);
	while (sections->last != base.last) {
		open = open_at(sections, sections->last);
		free_id(sections, open->id, open->id_len);
		unlink_open(sections, sections->last);
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
	resize(sections, sections->buckets,
	       sections->nr_buckets * sizeof(*sections->buckets), 0);
	resize(sections, sections->lumps,
	       sections->max_lumps * sizeof(*sections->lumps), 0);
	resize(sections, sections->done,
	       sections->max_done * sizeof(*sections->done), 0);
	resize(sections, sections->frames,
	       sections->max_frames * sizeof(*sections->frames), 0);
	mp_sections_init(sections, &sections->limits, &sections->memory);
}
