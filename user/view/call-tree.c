// SPDX-License-Identifier: GPL-2.0-only
/*
 * call-tree: a tree of functions, with a hash map by parent and function
 *
 * A node costs 40 bytes and a slot of the map. There is one node per distinct
 * call path. No walk is recursive, because stacks can be deep. Without memory
 * it returns -ENOMEM.
 */
#include "call-tree.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>

/* Functions without a name are identified by their frame. */
#define UNNAMED		(1ULL << 32)
#define MISSING		UINT64_MAX

static size_t collect_points(const struct mp_profile *profile,
			     const struct mp_location *location, bool all,
			     struct mp_call_point *points, size_t *callsite)
{
	struct mp_frames_stack stack = mp_frames_stack(&profile->frames,
						       location->stack - 1);
	uint32_t level, line, number;
	const struct mp_frame *frame;
	size_t nr = 0;

	*callsite = 0;
	for (level = all ? 0 : location->level; level < stack.nr; level++) {
		number = (uint32_t)stack.list[level] - MP_FRAMES_FIRST;
		frame = &profile->frames.list[number];
		line = level == location->level && !all ? location->line : 0;
		if (level == location->level)
			*callsite = nr + (all ? location->line : 0);
		if (!frame->nr && nr < MP_CALL_DEPTH - 1)
			points[nr++] = (struct mp_call_point){
				number, MP_CALL_NO_LINE,
			};
		for (; line < frame->nr && nr < MP_CALL_DEPTH - 1; line++)
			points[nr++] = (struct mp_call_point){ number, line };
	}
	if (stack.end == MP_STACKS_CUT)
		points[nr++] = (struct mp_call_point){
			MP_FRAMES_NONE, MP_CALL_NO_LINE,
		};
	return nr;
}

size_t mp_call_points(const struct mp_profile *profile,
		      const struct mp_location *location,
		      struct mp_call_point *points)
{
	size_t callsite;

	return collect_points(profile, location, false, points, &callsite);
}

size_t mp_call_points_all(const struct mp_profile *profile,
			  const struct mp_location *location,
			  struct mp_call_point *points, size_t *callsite)
{
	return collect_points(profile, location, true, points, callsite);
}

uint64_t mp_call_function(const struct mp_profile *profile,
			  const struct mp_call_point *point)
{
	const struct mp_frame *frame;
	uint32_t function;

	if (point->frame == MP_FRAMES_NONE)
		return MISSING;
	if (point->line == MP_CALL_NO_LINE)
		return UNNAMED | point->frame;
	frame = &profile->frames.list[point->frame];
	function = profile->symbols.lines[frame->first + point->line].function;
	return function == MP_NAMES_NONE ? UNNAMED | point->frame : function;
}

static uint32_t add_node(struct mp_call_tree *tree, uint32_t parent,
			 const struct mp_call_point *point)
{
	if (tree->nr == tree->max &&
	    !mp_array_grow(&tree->nodes, &tree->max, sizeof(*tree->nodes)))
		return 0;
	tree->nodes[tree->nr] = (struct mp_call_node){
		.point = *point, .parent = parent,
	};
	if (tree->nr) {
		tree->nodes[tree->nr].next = tree->nodes[parent].child;
		tree->nodes[parent].child = (uint32_t)tree->nr;
	}
	return (uint32_t)tree->nr++;
}

static int add_root(struct mp_call_tree *tree)
{
	static const struct mp_call_point nowhere = {
		MP_FRAMES_NONE, MP_CALL_NO_LINE,
	};

	*tree = (struct mp_call_tree){ 0 };
	add_node(tree, 0, &nowhere);
	return tree->nr ? 0 : -ENOMEM;
}

/* Finds or adds the child of a node for a function; 0 without memory. */
static uint32_t child_of(struct mp_call_tree *tree,
			 const struct mp_profile *profile, uint32_t parent,
			 const struct mp_call_point *point)
{
	uint64_t function = mp_call_function(profile, point);
	uint32_t *known = mp_map_add(&tree->by_key, parent, function);

	if (!known)
		return 0;
	if (*known == MP_MAP_NEW)
		*known = add_node(tree, parent, point);
	if (!*known) {
		mp_map_remove(&tree->by_key, parent, function);
		return 0;
	}
	return *known;
}

static int add_stack(struct mp_call_tree *tree,
		     const struct mp_profile *profile,
		     const struct mp_call_point *points, size_t nr,
		     uint64_t value, bool callees)
{
	uint32_t node = 0;
	size_t i;

	tree->nodes[0].value += value;
	for (i = 0; i < nr; i++) {
		node = child_of(tree, profile, node,
				&points[callees ? nr - 1 - i : i]);
		if (!node)
			return -ENOMEM;
		tree->nodes[node].value += value;
	}
	tree->nodes[node].self += value;
	return 0;
}

/* Counts each function of a stack once, also if it calls itself. */
static int add_flat(struct mp_call_tree *tree, const struct mp_profile *profile,
		    const struct mp_call_point *points, size_t nr,
		    uint64_t value)
{
	struct mp_map met = { 0 };
	uint32_t node, *known;
	size_t i;
	int err = 0;

	tree->nodes[0].value += value;
	for (i = 0; !err && i < nr; i++) {
		node = child_of(tree, profile, 0, &points[i]);
		known = node ? mp_map_add(&met, node, 0) : NULL;
		if (!known) {
			err = -ENOMEM;
			break;
		}
		if (*known == MP_MAP_NEW)
			tree->nodes[node].value += value;
		*known = 0;
		if (!i)
			tree->nodes[node].self += value;
	}
	mp_map_free(&met);
	return err;
}

static int compare_nodes(const void *x, const void *y, void *context)
{
	const struct mp_call_tree *tree = context;
	const struct mp_call_node *a = &tree->nodes[*(const uint32_t *)x];
	const struct mp_call_node *b = &tree->nodes[*(const uint32_t *)y];

	return (b->value > a->value) - (b->value < a->value) ?:
	       (b->self > a->self) - (b->self < a->self) ?: a < b ? -1 : 1;
}

/* Sorts the children of one node; @list has room for all nodes. */
static void sort_children(struct mp_call_tree *tree, uint32_t parent,
			  uint32_t *list)
{
	uint32_t child, *link = &tree->nodes[parent].child;
	size_t nr = 0, i;

	for (child = *link; child; child = tree->nodes[child].next)
		list[nr++] = child;
	if (nr < 2)
		return;
	qsort_r(list, nr, sizeof(*list), compare_nodes, tree);
	for (i = 0; i < nr; i++) {
		*link = list[i];
		link = &tree->nodes[list[i]].next;
	}
	*link = 0;
}

static int sort_all(struct mp_call_tree *tree)
{
	uint32_t *list = reallocarray(NULL, tree->nr, sizeof(*list));
	size_t i;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < tree->nr; i++)
		sort_children(tree, (uint32_t)i, list);
	free(list);
	return 0;
}

static uint64_t value_of(const struct mp_row *row, enum mp_metric metric)
{
	/* a negative value must not reduce the values of others */
	return mp_metrics[metric].is_signed &&
	       (int64_t)row->value[metric] < 0 ? 0 : row->value[metric];
}

enum shape {
	CALLERS, CALLEES, FLAT,
};

static int build_tree(struct mp_call_tree *tree, const struct mp_profile *profile,
		      enum mp_metric metric, enum shape shape)
{
	enum mp_row_kind kind = mp_profile_finest(profile);
	struct mp_call_point points[MP_CALL_DEPTH];
	uint64_t value;
	size_t i, nr;
	int err = add_root(tree);

	for (i = 0; !err && i < profile->nr_rows; i++) {
		const struct mp_row *row = &profile->rows[i];

		if (row->kind != kind || !row->location.stack)
			continue;
		nr = mp_call_points(profile, &row->location, points);
		value = value_of(row, metric);
		err = shape == FLAT ?
		      add_flat(tree, profile, points, nr, value) :
		      add_stack(tree, profile, points, nr, value,
				shape == CALLEES);
	}
	return err ?: sort_all(tree);
}

int mp_call_tree_build(struct mp_call_tree *tree,
		       const struct mp_profile *profile, enum mp_metric metric,
		       bool callees)
{
	return build_tree(tree, profile, metric, callees ? CALLEES : CALLERS);
}

int mp_call_tree_flatten(struct mp_call_tree *tree,
			 const struct mp_profile *profile,
			 enum mp_metric metric)
{
	return build_tree(tree, profile, metric, FLAT);
}

void mp_call_tree_free(struct mp_call_tree *tree)
{
	free(tree->nodes);
	mp_map_free(&tree->by_key);
	*tree = (struct mp_call_tree){ 0 };
}
