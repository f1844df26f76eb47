// SPDX-License-Identifier: GPL-2.0-only
/*
 * chunks: reads the headers of glibc's malloc, which 64-bit programs have had since 2005
 *
 * A header has two words. The second one is the size of the chunk, a multiple of 16, with
 * three flags. The first flag says whether the chunk below is in use. The next header is
 * behind the chunk. The last chunk of a heap is the top, which is free. The main heap is
 * the break; each heap of another arena begins at a multiple of 64 MiB and tells its size.
 */
#include "chunks.h"
#include "array.h"
#include "clock.h"

#include <string.h>

#define HEADER		16ULL
#define FLAGS		7ULL
#define BELOW_IN_USE	1ULL

/* The largest chunk that waits. Its link is mixed with its address, shifted by so many bits. */
#define MAX_WAITING	1040ULL
#define LINK_SHIFT	12

/* The largest chunk that waits in a fast bin, which malloc_trim() empties; others are cached. */
#define MAX_FAST	128ULL

/* Bytes of a free chunk that malloc_trim() keeps, and the smallest top */
#define FREE_HEADER	48ULL
#define MIN_SIZE	32ULL

/* A heap of an arena, and where its first chunk may be: behind the arena's state */
#define ARENA_HEAP	(64ULL << 20)
#define FIRST_CHUNK	32ULL
#define MAX_STATE	4096ULL

/* What is left at the end of a heap that is not the last one of its arena */
#define MAX_FENCE	64ULL

/* How often a heap is read that changes meanwhile */
#define MAX_READS	3

/* Headers that lead through less than 1/8 of a heap may be other data: 16 such are tried. */
#define LEAST_PART	8
#define MAX_STRAYS	16

/* Headers between two looks at the clock */
#define NR_PIECE	4096

/* What an arena's heap begins with */
struct heap_start {
	uint64_t arena, previous, size, accessible;
};

/*
 * State of a walk.
 * @sum: of all heaps that were read
 * @is_absent: a page was asked for that is not present
 * @window: memory of the process from @start to @end
 */
struct walking {
	const struct mp_chunks_walk *walk;
	const struct mp_pages *pages;
	struct mp_chunks *sum;
	bool is_absent;
	uint64_t start, end;
	char window[MP_PROCESS_MEMORY_MAX];
};

/*
 * A heap: its first header is from @first to @last, and it ends at @end. @gives_top:
 * malloc_trim() shrinks it.
 */
struct heap {
	uint64_t first, last, end;
	bool gives_top;
};

static bool is_over(const struct walking *walking)
{
	return mp_clock_ns() > walking->walk->end_ns;
}

static const struct mp_page_run *run_at(const struct mp_pages *pages, uint64_t address)
{
	const size_t low = mp_array_above(pages->runs, pages->nr_runs, end, address);

	return low < pages->nr_runs && pages->runs[low].start <= address ?
	       &pages->runs[low] : NULL;
}

/* Reads from an address on, but only what is present. */
static bool move_window(struct walking *walking, uint64_t address)
{
	const struct mp_page_run *run = run_at(walking->pages, address);
	uint64_t size;

	walking->start = walking->end = 0;
	walking->is_absent = !run || !(run->state & MP_PAGE_PRESENT);
	if (walking->is_absent)
		return false;
	if (walking->walk->idle)
		walking->walk->idle(walking->walk->context);
	size = run->end - address;
	if (size > sizeof(walking->window))
		size = sizeof(walking->window);
	if (!mp_process_read(walking->walk->memory, walking->walk->pid, address, walking->window, size))
		return false;
	walking->start = address;
	walking->end = address + size;
	return true;
}

static bool read_bytes(struct walking *walking, uint64_t address, void *to, size_t size)
{
	if ((address < walking->start || address + size > walking->end) &&
	    (!move_window(walking, address) || walking->end - address < size))
		return false;
	memcpy(to, walking->window + (address - walking->start), size);
	return true;
}

/* Bytes of a range in present pages */
static uint64_t present(const struct mp_pages *pages, uint64_t start, uint64_t end)
{
	const struct mp_page_run *run;
	uint64_t from, to, sum = 0;
	size_t i;

	if (start >= end)
		return 0;
	for (i = mp_array_above(pages->runs, pages->nr_runs, end, start);
	     i < pages->nr_runs && pages->runs[i].start < end; i++) {
		run = &pages->runs[i];
		from = run->start > start ? run->start : start;
		to = run->end < end ? run->end : end;
		if (run->state & MP_PAGE_PRESENT)
			sum += to - from;
	}
	return sum;
}

static uint64_t whole_pages(const struct mp_pages *pages, uint64_t start, uint64_t end)
{
	const uint64_t mask = pages->page_size - 1;

	return present(pages, (start + mask) & ~mask, end & ~mask);
}

/*
 * Counts adjacent free chunks, which malloc joins before it gives pages back. @gives:
 * malloc_trim() looks at them.
 */
static void count_free(const struct mp_pages *pages, uint64_t start, uint64_t end, bool gives,
		       struct mp_chunks *sum)
{
	sum->free += present(pages, start, end);
	if (gives)
		sum->trim += whole_pages(pages, start + FREE_HEADER, end);
}

/*
 * Whether a small chunk that is marked as in use waits in a fast bin or in a thread's cache:
 * then it begins with a link to another one, mixed with its own address (since glibc 2.32).
 */
static bool is_waiting(struct walking *walking, uint64_t at, uint64_t size)
{
	uint64_t link, next;

	if (size > MAX_WAITING || !read_bytes(walking, at + HEADER, &link, sizeof(link)))
		return false;
	next = link ^ ((at + HEADER) >> LINK_SHIFT);
	return !next || (next % HEADER == 0 && run_at(walking->pages, next));
}

/*
 * What was found from header to header.
 * @free: adjacent free chunks begin here; 0: the last chunk is in use
 */
struct trail {
	const struct mp_pages *pages;
	struct mp_chunks *sum;
	uint64_t free;
};

static void end_free(struct trail *trail, uint64_t end)
{
	if (trail->free)
		count_free(trail->pages, trail->free, end, true, trail->sum);
	trail->free = 0;
}

/* A chunk in a thread's cache is not joined with others: malloc_trim() does not look there. */
static void add_chunk(struct trail *trail, uint64_t at, uint64_t end, bool in_use, bool waits)
{
	if (!in_use || (waits && end - at <= MAX_FAST)) {
		trail->free = trail->free ?: at;
		return;
	}
	end_free(trail, at);
	if (waits)
		count_free(trail->pages, at, end, false, trail->sum);
	else
		trail->sum->used += present(trail->pages, at, end);
}

/*
 * Goes from header to header. Returns the address of the first one that is none: the end
 * of the heap if all is well.
 */
static uint64_t walk_chunks(struct walking *walking, const struct heap *heap,
			    struct mp_chunks *sum)
{
	struct trail trail = { .pages = walking->pages, .sum = sum };
	uint64_t at = heap->first, below = 0, size = 0, word;
	bool waits = false;
	unsigned int nr;

	for (nr = 0; at < heap->end; nr++) {
		if (nr % NR_PIECE == NR_PIECE - 1 && is_over(walking))
			break;
		if (!read_bytes(walking, at + sizeof(word), &word, sizeof(word)))
			break;
		if (size)
			add_chunk(&trail, below, at, word & BELOW_IN_USE, waits);
		size = word & ~FLAGS;
		below = at;
		if (size < MIN_SIZE || size % HEADER || size > heap->end - at)
			break;
		waits = is_waiting(walking, at, size);
		at += size;
	}
	/* the last chunk is the top */
	if (at == heap->end && size)
		count_free(trail.pages, trail.free ?: below, at, heap->gives_top, sum);
	else
		end_free(&trail, below);
	return heap->end - at <= MAX_FENCE ? heap->end : at;
}

static void add(struct mp_chunks *to, const struct mp_chunks *from)
{
	to->used += from->used;
	to->free += from->free;
	to->trim += from->trim;
	to->unknown += from->unknown;
}

/*
 * Finds the first header of a heap: from there, headers lead on, as far as the heap did not
 * change meanwhile. If the way ends early, the heap is read again, but not if that is because
 * of a page that is not present.
 */
static void walk_heap(struct walking *walking, const struct heap *heap)
{
	struct mp_chunks best = { 0 }, sum;
	uint64_t at, farthest = 0;
	struct heap from = *heap;
	int reads = 0, strays = 0;

	while (from.first <= heap->last && from.first < heap->end && farthest < heap->end &&
	       reads < MAX_READS && !is_over(walking)) {
		sum = (struct mp_chunks){ 0 };
		walking->is_absent = false;
		at = walk_chunks(walking, &from, &sum);
		if (at > from.first + HEADER && at > farthest) {
			farthest = at;
			best = sum;
		}
		/* it may have been no header: try the next place */
		if (at <= heap->last || (at - from.first < (heap->end - from.first) / LEAST_PART &&
					 ++strays < MAX_STRAYS)) {
			from.first += HEADER;
			continue;
		}
		/* what was read before may be of before a change */
		walking->start = walking->end = 0;
		reads += walking->is_absent ? MAX_READS : 1;
	}
	/* not even two chunks: it is somebody else's */
	if (!best.used && !best.free)
		return;
	best.unknown = present(walking->pages, farthest, heap->end);
	add(walking->sum, &best);
}

/* Looks whether an arena's heap begins at an address. */
static void walk_arena_heap(struct walking *walking, uint64_t base)
{
	const uint64_t mask = walking->pages->page_size - 1;
	struct heap_start start;
	struct heap heap;

	if (!read_bytes(walking, base, &start, sizeof(start)) ||
	    !start.arena || start.arena % sizeof(uint64_t) || !start.size ||
	    start.size > ARENA_HEAP || start.size & mask ||
	    start.accessible < start.size || start.accessible > ARENA_HEAP)
		return;
	heap.first = start.arena - base < MAX_STATE ? start.arena : base + FIRST_CHUNK;
	heap.first = (heap.first + HEADER - 1) & ~(HEADER - 1);
	heap.last = heap.first + MAX_STATE;
	heap.end = base + start.size;
	heap.gives_top = false;
	walk_heap(walking, &heap);
}

/*
 * After a fork, the break is several mappings: the old part, and what was added since. A
 * static program has data of its own at its start.
 */
static void find_break(const struct mp_pages *pages, struct heap *heap)
{
	size_t i;

	*heap = (struct heap){ .gives_top = true };
	for (i = 0; i < pages->nr_areas; i++) {
		if (!pages->areas[i].is_break)
			continue;
		if (!heap->end)
			heap->first = pages->areas[i].start;
		heap->end = pages->areas[i].end;
	}
	heap->last = heap->first + MAX_STATE;
}

static void walk_arenas(struct walking *walking, const struct mp_page_area *area)
{
	uint64_t base = (area->start + ARENA_HEAP - 1) & ~(ARENA_HEAP - 1);

	for (; base < area->end && !is_over(walking); base += ARENA_HEAP)
		walk_arena_heap(walking, base);
}

void mp_chunks_walk(const struct mp_chunks_walk *walk, struct mp_chunks *chunks)
{
	const struct mp_pages *pages = walk->pages;
	static struct walking walking;
	struct heap heap;
	size_t i;

	*chunks = (struct mp_chunks){ 0 };
	walking = (struct walking){ .walk = walk, .pages = pages, .sum = chunks };
	find_break(pages, &heap);
	if (heap.end && is_over(&walking))
		chunks->unknown = present(pages, heap.first, heap.end);
	else if (heap.end)
		walk_heap(&walking, &heap);
	for (i = 0; i < pages->nr_areas; i++)
		if (!pages->areas[i].is_break)
			walk_arenas(&walking, &pages->areas[i]);
}
