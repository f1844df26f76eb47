// SPDX-License-Identifier: GPL-2.0-only
/*
 * areas: one tree of ranges per address space
 *
 * The trees are treaps: sorted by address, and heaps by random ranks, which makes
 * them balanced whatever the order of the addresses is. Ranks are made with a secret
 * key, because recordings choose the addresses. A change costs O(log n), and what it
 * removes was added before. If memory is short or the limit is reached, a range is
 * dropped and counted: it is then as if it could not be accessed.
 */
#include "areas.h"
#include "array.h"
#include "map.h"

#include <stdlib.h>
#include <string.h>

/* A change makes at most three nodes: two breaks, and the new one. */
#define NODES_PER_CHANGE	3

struct mp_area_space *mp_areas_space(struct mp_areas *areas, uint32_t process)
{
	size_t nr = areas->nr_spaces ? areas->nr_spaces : 64;
	struct mp_area_space *spaces;

	if (process < areas->nr_spaces)
		return &areas->spaces[process];
	while (nr <= process)
		nr *= 2;
	spaces = reallocarray(areas->spaces, nr, sizeof(*spaces));
	if (!spaces)
		return NULL;
	memset(spaces + areas->nr_spaces, 0,
	       (nr - areas->nr_spaces) * sizeof(*spaces));
	areas->spaces = spaces;
	areas->nr_spaces = nr;
	return &spaces[process];
}

/* Makes room for the nodes of a change, so that no pointer to a node changes in it. */
static void make_room(struct mp_areas *areas, size_t nr)
{
	if (!areas->nr)
		areas->nr = 1;
	while (areas->nr + nr > areas->max && areas->max < MP_AREAS_MAX_ALL &&
	       mp_array_grow(&areas->nodes, &areas->max, sizeof(*areas->nodes)))
		;
}

/* Returns the number of a new node; 0 if there is no room. */
static uint32_t make_node(struct mp_areas *areas, uint64_t start, uint64_t end,
			  bool segment)
{
	uint32_t number = areas->free;

	if (number) {
		areas->free = areas->nodes[number].left;
	} else if (areas->nr < areas->max && areas->nr < MP_AREAS_MAX_ALL) {
		number = (uint32_t)areas->nr++;
	} else {
		areas->nr_dropped++;
		return 0;
	}
	areas->nodes[number] = (struct mp_area){
		.start = start, .end = end, .segment = segment,
		.rank = (uint32_t)mp_map_hash(areas->nr_ranks++, 0),
	};
	return number;
}

static void free_node(struct mp_areas *areas, uint32_t number)
{
	areas->nodes[number].left = areas->free;
	areas->free = number;
}

/* Joins two trees. All addresses of @left are below those of @right. */
static uint32_t join(struct mp_areas *areas, uint32_t left, uint32_t right)
{
	struct mp_area *nodes = areas->nodes;

	if (!left || !right)
		return left ? left : right;
	if (nodes[left].rank > nodes[right].rank) {
		nodes[left].right = join(areas, nodes[left].right, right);
		return left;
	}
	nodes[right].left = join(areas, left, nodes[right].left);
	return right;
}

/* Splits a tree at an address that is not inside of a range. */
static void split(struct mp_areas *areas, uint32_t root, uint64_t at,
		  uint32_t *left, uint32_t *right)
{
	struct mp_area *node = &areas->nodes[root];

	if (!root) {
		*left = *right = 0;
	} else if (node->start < at) {
		*left = root;
		split(areas, node->right, at, &node->right, right);
	} else {
		*right = root;
		split(areas, node->left, at, left, &node->left);
	}
}

/* Makes two ranges of the one around an address. Returns the root. */
static uint32_t break_at(struct mp_areas *areas, uint32_t root, uint64_t at)
{
	uint32_t number = root, left, right, upper;
	struct mp_area *node = NULL;

	while (number) {
		node = &areas->nodes[number];
		if (node->start < at && at < node->end)
			break;
		number = at <= node->start ? node->left : node->right;
	}
	if (!number)
		return root;
	upper = make_node(areas, at, node->end, node->segment);
	node->end = at;
	split(areas, root, at, &left, &right);
	return join(areas, join(areas, left, upper), right);
}

/* Frees a tree. Returns the number of bytes in it. */
static uint64_t free_tree(struct mp_areas *areas, uint32_t root)
{
	struct mp_area node = areas->nodes[root];
	uint64_t sum;

	if (!root)
		return 0;
	sum = node.end - node.start + free_tree(areas, node.left) +
	      free_tree(areas, node.right);
	free_node(areas, root);
	return sum;
}

/* Removes a range from the tree, and returns what is below and above of it. */
static uint64_t cut(struct mp_areas *areas, uint32_t root, uint64_t start,
		    uint64_t end, uint32_t *below, uint32_t *above)
{
	uint32_t middle;

	root = break_at(areas, break_at(areas, root, start), end);
	split(areas, root, start, below, &middle);
	split(areas, middle, end, &middle, above);
	return free_tree(areas, middle);
}

uint64_t mp_areas_take(struct mp_areas *areas, uint32_t process, uint64_t start,
		       uint64_t end)
{
	uint32_t *root, below, above;
	uint64_t sum;

	if (start >= end || process >= areas->nr_spaces ||
	    !areas->spaces[process].root)
		return 0;
	make_room(areas, NODES_PER_CHANGE);
	root = &areas->spaces[process].root;
	sum = cut(areas, *root, start, end, &below, &above);
	*root = join(areas, below, above);
	return sum;
}

/*
 * Removes the highest range of the tree below if it ends at @at and is no segment.
 * Returns its start, or @at.
 */
static uint64_t take_last(struct mp_areas *areas, uint32_t *root, uint64_t at)
{
	struct mp_area *nodes = areas->nodes;
	uint32_t *from = root, last;

	while (*from && nodes[*from].right)
		from = &nodes[*from].right;
	last = *from;
	if (!last || nodes[last].end != at || nodes[last].segment)
		return at;
	*from = nodes[last].left;
	at = nodes[last].start;
	free_node(areas, last);
	return at;
}

/* The same for the lowest range of the tree above. Returns its end, or @at. */
static uint64_t take_first(struct mp_areas *areas, uint32_t *root, uint64_t at)
{
	struct mp_area *nodes = areas->nodes;
	uint32_t *from = root, first;

	while (*from && nodes[*from].left)
		from = &nodes[*from].left;
	first = *from;
	if (!first || nodes[first].start != at || nodes[first].segment)
		return at;
	*from = nodes[first].right;
	at = nodes[first].end;
	free_node(areas, first);
	return at;
}

uint64_t mp_areas_add(struct mp_areas *areas, uint32_t process, uint64_t start,
		      uint64_t end, bool segment)
{
	struct mp_area_space *space;
	uint32_t below, above, node;
	uint64_t added;

	if (start >= end)
		return 0;
	space = mp_areas_space(areas, process);
	if (!space) {
		areas->nr_dropped++;
		return end - start;
	}
	make_room(areas, NODES_PER_CHANGE);
	if (!areas->nodes) {
		areas->nr_dropped++;
		return end - start;
	}
	added = end - start - cut(areas, space->root, start, end, &below, &above);
	if (!segment) {
		start = take_last(areas, &below, start);
		end = take_first(areas, &above, end);
	}
	node = make_node(areas, start, end, segment);
	space->root = join(areas, join(areas, below, node), above);
	return added;
}

uint64_t mp_areas_segment(const struct mp_areas *areas, uint32_t process,
			  uint64_t start)
{
	uint32_t at = process < areas->nr_spaces ? areas->spaces[process].root : 0;
	const struct mp_area *node;

	while (at) {
		node = &areas->nodes[at];
		if (node->start == start)
			return node->segment ? node->end - start : 0;
		at = node->start > start ? node->left : node->right;
	}
	return 0;
}

static uint32_t copy_tree(struct mp_areas *areas, uint32_t root)
{
	struct mp_area from = areas->nodes[root];
	uint32_t left, right, copy;

	if (!root)
		return 0;
	left = copy_tree(areas, from.left);
	right = copy_tree(areas, from.right);
	copy = make_node(areas, from.start, from.end, from.segment);
	if (!copy)
		return join(areas, left, right);
	areas->nodes[copy].rank = from.rank;
	areas->nodes[copy].left = left;
	areas->nodes[copy].right = right;
	return copy;
}

static size_t count_tree(const struct mp_areas *areas, uint32_t root)
{
	return !root ? 0 : 1 + count_tree(areas, areas->nodes[root].left) +
			   count_tree(areas, areas->nodes[root].right);
}

void mp_areas_copy(struct mp_areas *areas, uint32_t from, uint32_t to)
{
	mp_areas_clear(areas, to);
	if (from >= areas->nr_spaces || !areas->spaces[from].root ||
	    !mp_areas_space(areas, to))
		return;
	make_room(areas, count_tree(areas, areas->spaces[from].root));
	areas->spaces[to] = areas->spaces[from];
	areas->spaces[to].root = copy_tree(areas, areas->spaces[from].root);
}

void mp_areas_clear(struct mp_areas *areas, uint32_t process)
{
	if (process >= areas->nr_spaces)
		return;
	if (areas->spaces[process].root)
		free_tree(areas, areas->spaces[process].root);
	areas->spaces[process] = (struct mp_area_space){ 0 };
}

void mp_areas_free(struct mp_areas *areas)
{
	free(areas->spaces);
	free(areas->nodes);
	*areas = (struct mp_areas){ 0 };
}
