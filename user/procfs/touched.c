// SPDX-License-Identifier: GPL-2.0-only
/*
 * touched: looks up the pages of blocks in pagemap, in pieces of 512 entries
 *
 * Blocks that were allocated one after the other are mostly near each other. So the
 * mapping and the piece of the previous block are tried first. This is faster than
 * sorting the blocks. During the call, memory of 100 bytes is needed per 2 MiB that
 * contain blocks. If memory is short or the time is over, the remaining blocks count
 * as resident.
 */
#include "touched.h"
#include "array.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Entries of pagemap per read: as many as a page table has. */
#define NR_PIECE	512
#define PIECE_BITS	9

#define PRESENT		(1ULL << 63)

/* Which pages of a piece are resident: one bit per page. */
struct piece {
	uint64_t bits[NR_PIECE / 64];
};

/* The pieces of pagemap that were read. */
struct pages {
	int fd;
	uint64_t page_size;
	uint64_t end_ns;
	bool cut;
	struct piece *pieces;
	size_t nr, max;
	struct mp_map by_number;
	uint64_t last;			/* number of the piece that was used last */
	uint32_t last_at;		/* index of the last piece in @pieces */
};

static void read_piece(const struct pages *pages, uint64_t number,
		       struct piece *piece)
{
	uint64_t entries[NR_PIECE];
	ssize_t got, i;

	*piece = (struct piece){ { 0 } };
	got = pread(pages->fd, entries, sizeof(entries),
		    (off_t)(number << PIECE_BITS) * (off_t)sizeof(uint64_t));
	got = got < 0 ? 0 : got / (ssize_t)sizeof(uint64_t);
	for (i = 0; i < got; i++)
		if (entries[i] & PRESENT)
			piece->bits[i / 64] |= 1ULL << i % 64;
}

/* Reads a new piece; NULL if the time is over or memory is short. */
static struct piece *new_piece(struct pages *pages, uint64_t number)
{
	if (mp_clock_ns() > pages->end_ns)
		return NULL;
	if (pages->nr == pages->max &&
	    !mp_array_grow(&pages->pieces, &pages->max, sizeof(*pages->pieces)))
		return NULL;
	read_piece(pages, number, &pages->pieces[pages->nr]);
	return &pages->pieces[pages->nr++];
}

static const struct piece *piece_of(struct pages *pages, uint64_t number)
{
	struct piece *piece;
	uint32_t *at;

	if (pages->nr && pages->last == number)
		return &pages->pieces[pages->last_at];
	at = mp_map_add(&pages->by_number, number, 0);
	if (!at)
		return NULL;
	if (*at == MP_MAP_NEW) {
		piece = new_piece(pages, number);
		if (!piece) {
			mp_map_remove(&pages->by_number, number, 0);
			return NULL;
		}
		*at = (uint32_t)(piece - pages->pieces);
	}
	pages->last = number;
	pages->last_at = *at;
	return &pages->pieces[*at];
}

static bool is_present(struct pages *pages, uint64_t page)
{
	const struct piece *piece = piece_of(pages, page >> PIECE_BITS);
	unsigned int bit = page % NR_PIECE;

	if (!piece) {
		pages->cut = true;
		return true;
	}
	return piece->bits[bit / 64] >> bit % 64 & 1;
}

/* Counts the bytes of a range that are in resident pages. */
static uint64_t present_bytes(struct pages *pages, uint64_t start, uint64_t end)
{
	uint64_t size = pages->page_size, bytes = 0, at, next;

	for (at = start; at < end; at = next) {
		if (pages->cut)
			return bytes + end - at;
		next = (at / size + 1) * size;
		if (next > end)
			next = end;
		if (is_present(pages, at / size))
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

/* Counts a block's resident bytes; the block may be in several adjacent mappings. */
static uint64_t add_block(struct pages *pages, struct mp_mappings *mappings,
			  struct mp_mapping **last, uint64_t start,
			  uint64_t end)
{
	struct mp_mapping *mapping = *last;
	uint64_t live = 0, part;

	if (!mapping || start < mapping->start || start >= mapping->end)
		mapping = mp_mappings_at(mappings, start);
	while (mapping && start < end) {
		*last = mapping;
		part = end < mapping->end ? end : mapping->end;
		if (may_hold_blocks(mapping)) {
			mapping->class = MP_MAPPING_HEAP;
			live += present_bytes(pages, start, part);
		}
		start = part;
		mapping = mp_mappings_at(mappings, start);
	}
	return live;
}

int mp_touched(const struct mp_blocks *blocks, uint32_t process, pid_t pid,
	       struct mp_mappings *mappings, uint64_t end_ns, uint64_t *live,
	       bool *cut)
{
	struct pages pages = {
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE), .end_ns = end_ns,
	};
	const struct mp_block *block = NULL;
	struct mp_mapping *last = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	pages.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (pages.fd < 0)
		return -errno;
	*live = 0;
	while ((block = mp_blocks_next(blocks, process, block)))
		*live += add_block(&pages, mappings, &last, block->ptr,
				   block->ptr + block->size);
	*cut = pages.cut;
	close(pages.fd);
	free(pages.pieces);
	mp_map_free(&pages.by_number);
	return 0;
}
