// SPDX-License-Identifier: GPL-2.0-only
/*
 * touched: blocks in order of their addresses, pages in pieces of 512
 *
 * 16 bytes per block for the time of the call.
 */
#include "touched.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Entries that are read at once: what one page of page tables has. */
#define NR_PIECE	512

#define PRESENT		(1ULL << 63)

struct span {
	uint64_t start, end;
};

/* A window on pagemap. */
struct window {
	int fd;
	uint64_t page_size;
	uint64_t first;			/* page */
	uint64_t entries[NR_PIECE];
	uint64_t end_ns;
	bool is_filled;
	bool cut;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int compare(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	return (a->start > b->start) - (a->start < b->start);
}

static int collect(const struct mp_blocks *blocks, uint32_t process,
		   struct span **spans, size_t *nr)
{
	const struct mp_block *block = NULL;
	size_t i = 0;

	for (*nr = 0; (block = mp_blocks_next(blocks, process, block));)
		++*nr;
	*spans = calloc(*nr + 1, sizeof(**spans));
	if (!*spans)
		return -ENOMEM;
	while ((block = mp_blocks_next(blocks, process, block)))
		(*spans)[i++] = (struct span){ block->ptr,
					       block->ptr + block->size };
	qsort(*spans, *nr, sizeof(**spans), compare);
	return 0;
}

static bool is_present(struct window *window, uint64_t page)
{
	uint64_t first = page & ~(uint64_t)(NR_PIECE - 1);
	ssize_t got, i;

	if (window->cut)
		return true;
	if (!window->is_filled || window->first != first) {
		if (now_ns() > window->end_ns) {
			window->cut = true;
			return true;
		}
		got = pread(window->fd, window->entries,
			    sizeof(window->entries),
			    (off_t)(first * sizeof(uint64_t)));
		got = got < 0 ? 0 : got / (ssize_t)sizeof(uint64_t);
		for (i = got; i < NR_PIECE; i++)
			window->entries[i] = 0;
		window->first = first;
		window->is_filled = true;
	}
	return window->entries[page - first] & PRESENT;
}

/* Bytes of a span in pages that are there. */
static uint64_t present(struct window *window, uint64_t start, uint64_t end)
{
	uint64_t size = window->page_size, bytes = 0, at, next;

	for (at = start; at < end; at = next) {
		if (window->cut)
			return bytes + end - at;
		next = (at / size + 1) * size;
		if (next > end)
			next = end;
		if (is_present(window, at / size))
			bytes += next - at;
	}
	return bytes;
}

static bool may_hold_blocks(const struct mp_mapping *mapping)
{
	return mp_mapping_is_heap(mapping) ||
	       mapping->class == MP_MAPPING_STACK ||
	       mapping->class == MP_MAPPING_BSS;
}

/* Both in order: each block's part in each mapping, in one pass. */
static uint64_t add_up(struct window *window, struct mp_mappings *mappings,
		       const struct span *spans, size_t nr)
{
	struct mp_mapping *mapping = mappings->list;
	uint64_t live = 0, start = 0, end;
	size_t i, at = 0;

	for (i = 0; i < nr; i++) {
		/* none twice, should two claim the same bytes */
		start = spans[i].start > start ? spans[i].start : start;
		while (at < mappings->nr && mapping[at].end <= start)
			at++;
		while (at < mappings->nr && start < spans[i].end &&
		       mapping[at].start < spans[i].end) {
			end = spans[i].end < mapping[at].end ? spans[i].end :
							mapping[at].end;
			if (start < mapping[at].start)
				start = mapping[at].start;
			if (may_hold_blocks(&mapping[at])) {
				mapping[at].class = MP_MAPPING_HEAP;
				live += present(window, start, end);
			}
			start = end;
			if (end == mapping[at].end)
				at++;
		}
	}
	return live;
}

int mp_touched(const struct mp_blocks *blocks, uint32_t process, pid_t pid,
	       struct mp_mappings *mappings, uint64_t end_ns, uint64_t *live,
	       bool *cut)
{
	struct window window = {
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE), .end_ns = end_ns,
	};
	struct span *spans;
	char path[64];
	size_t nr;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	window.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (window.fd < 0)
		return -errno;
	err = collect(blocks, process, &spans, &nr);
	if (!err) {
		*live = add_up(&window, mappings, spans, nr);
		*cut = window.cut;
		free(spans);
	}
	close(window.fd);
	return err;
}
