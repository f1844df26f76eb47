// SPDX-License-Identifier: GPL-2.0-only
/*
 * call-tree: adds the stacks of a profile to a stack tree
 *
 * The name of each function is made only once per tree. If memory is short,
 * functions return -ENOMEM.
 */
#include "call-tree.h"
#include "frame-text.h"

#include <errno.h>

/* Flag in a key: the function has no name, and the rest is the number of its frame. */
#define UNNAMED		(1ULL << 32)
#define MISSING		UINT64_MAX

size_t mp_call_points(const struct mp_profile *profile,
		      const struct mp_location *location,
		      struct mp_call_point *points, size_t *callsite)
{
	struct mp_frames_stack stack = mp_frames_stack(&profile->frames,
						       location->stack - 1);
	uint32_t level, line, number;
	const struct mp_frame *frame;
	size_t nr = 0;

	*callsite = 0;
	for (level = 0; level < stack.nr; level++) {
		number = (uint32_t)stack.list[level] - MP_FRAMES_FIRST;
		frame = &profile->frames.list[number];
		if (level == location->level)
			*callsite = nr + location->line;
		if (!frame->nr && nr < MP_CALL_DEPTH - 1)
			points[nr++] = (struct mp_call_point){
				number, MP_CALL_NO_LINE,
			};
		for (line = 0; line < frame->nr && nr < MP_CALL_DEPTH - 1; line++)
			points[nr++] = (struct mp_call_point){ number, line };
	}
	if (stack.end == MP_STACKS_CUT)
		points[nr++] = (struct mp_call_point){
			MP_FRAMES_NONE, MP_CALL_NO_LINE,
		};
	if (*callsite > nr)
		*callsite = nr;
	return nr;
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

/* Values are untrusted. Unsigned addition lets an overflow wrap around. */
static void add_to(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

/*
 * State while stacks are added: the profile, and a map from functions to names of
 * the tree. If @input is NULL, the key of a node is the function, not its name.
 */
struct adding {
	struct mp_stack_tree *tree;
	const struct mp_profile *profile;
	const struct mp_call_tree_input *input;
	struct mp_map names;
};

static uint32_t new_name(struct adding *adding,
			 const struct mp_call_point *point)
{
	const struct mp_call_tree_input *input = adding->input;
	struct mp_names *names = &adding->tree->names;
	char text[4096];

	if (!input->name)
		return mp_names_add(names, mp_point_name(adding->profile, point,
							 text, sizeof(text)));
	input->name(adding->profile, point, text, sizeof(text));
	return mp_names_add(names, text);
}

static uint32_t name_of(struct adding *adding,
			const struct mp_call_point *point)
{
	bool exact = adding->input->name;
	uint64_t function = exact ? point->frame :
			    mp_call_function(adding->profile, point);
	uint32_t *known = mp_map_add(&adding->names, function,
				     exact ? point->line : 0);

	if (!known)
		return MP_NAMES_NONE;
	if (*known == MP_MAP_NEW)
		*known = new_name(adding, point);
	return *known;
}

/* Orders the places in one function: by line, or by distance where lines are not known. */
static uint64_t place_of(const struct adding *adding, const struct mp_call_point *point)
{
	const struct mp_line *line = mp_point_line(adding->profile, point);

	return !line ? 0 : line->file != MP_NAMES_NONE ? line->line : line->distance;
}

static void note_place(const struct adding *adding, struct mp_stack_node *node,
		       const struct mp_call_point *point)
{
	const uint64_t place = place_of(adding, point);

	if (place < place_of(adding, &node->point))
		node->point = *point;
	if (place > place_of(adding, &node->last))
		node->last = *point;
}

/* Finds or adds the child of a node for a function; 0 if memory is short. */
static uint32_t child_of(struct adding *adding, uint32_t parent,
			 const struct mp_call_point *point)
{
	uint64_t key = adding->input ? name_of(adding, point) :
		       mp_call_function(adding->profile, point);
	size_t before = adding->tree->nr;
	uint32_t node = adding->input && key == MP_NAMES_NONE ? 0 :
			mp_stack_tree_node(adding->tree, parent, key);

	if (adding->tree->nr != before)
		adding->tree->nodes[node].point = adding->tree->nodes[node].last = *point;
	else if (!adding->input && node)
		note_place(adding, &adding->tree->nodes[node], point);
	return node;
}

/* Adds a stack below a node, outermost function first. Returns the last node, or 0. */
static uint32_t add_stack(struct adding *adding, const struct mp_location *location,
			  uint32_t node)
{
	struct mp_call_point points[MP_CALL_DEPTH];
	size_t callsite, nr = mp_call_points(adding->profile, location, points,
					     &callsite);

	while (nr--) {
		node = child_of(adding, node, &points[nr]);
		if (!node)
			return 0;
	}
	return node;
}

/*
 * Adds nodes for the owner of a stack below @node: cgroup, command name and
 * process id, as requested. @node: out: the last of these nodes. False if
 * memory is short.
 */
static bool add_owner(struct adding *adding, const struct mp_row *row,
		      uint32_t *node)
{
	char text[MP_OWNER_SIZE];
	unsigned int bit;

	for (bit = MP_OWNER_CGROUP; bit <= MP_OWNER_PID; bit <<= 1) {
		if (!(adding->input->whose & bit) ||
		    !mp_stack_sample_owner(adding->profile, row, bit, text))
			continue;
		*node = mp_stack_tree_child(adding->tree, *node, text);
		if (!*node)
			return false;
	}
	return true;
}

static int add_row(struct adding *adding, const struct mp_row *row)
{
	const struct mp_call_tree_input *input = adding->input;
	struct mp_stack_tree *tree = adding->tree;
	const char *name = mp_stack_sample_name(row);
	uint32_t node = MP_STACK_TREE_ROOT, i;
	int64_t *self;

	if (!add_owner(adding, row, &node))
		return -ENOMEM;
	node = name ? mp_stack_tree_child(tree, node, name) :
		      add_stack(adding, &row->location, node);
	if (!node)
		return -ENOMEM;
	self = tree->self + (size_t)node * tree->nr_values + input->first;
	for (i = 0; i < input->nr; i++)
		add_to(&self[i], (int64_t)(row->value[input->metrics[i]] *
					   (uint64_t)input->factor));
	return 0;
}

int mp_call_tree_add(struct mp_stack_tree *tree, const struct mp_profile *profile,
		 const struct mp_stack_samples *samples,
		 const struct mp_call_tree_input *input)
{
	struct adding adding = {
		.tree = tree, .profile = profile, .input = input,
	};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < samples->nr; i++)
		if (mp_row_has_any(samples->rows[i], input->metrics, input->nr))
			err = add_row(&adding, samples->rows[i]);
	mp_map_free(&adding.names);
	return err;
}

/*
 * Adds the functions of a stack to the tree, from the callsite to the outermost
 * function; if @callees is true, in reverse order.
 */
static int add_callers(struct adding *adding, const struct mp_call_point *points,
		       size_t nr, uint64_t value, bool callees)
{
	uint32_t node = MP_STACK_TREE_ROOT;
	size_t i;

	for (i = 0; i < nr; i++) {
		node = child_of(adding, node, &points[callees ? nr - 1 - i : i]);
		if (!node)
			return -ENOMEM;
	}
	add_to(&adding->tree->self[(size_t)node * adding->tree->nr_values],
	       (int64_t)value);
	return 0;
}

/* Adds a value to each function of a stack; to a recursive function only once. */
static int add_flat(struct adding *adding, const struct mp_call_point *points,
		    size_t nr, uint64_t value)
{
	struct mp_map met = { 0 };
	uint32_t node, *known;
	size_t i;
	int err = add_callers(adding, points, nr ? 1 : 0, value, false);

	for (i = 0; !err && i < nr; i++) {
		node = child_of(adding, MP_STACK_TREE_ROOT, &points[i]);
		known = node ? mp_map_add(&met, node, 0) : NULL;
		if (!known) {
			err = -ENOMEM;
			break;
		}
		if (*known == MP_MAP_NEW)
			add_to(&adding->tree->self[2 * (size_t)node + MP_CALL_TREE_WITH_CALLEES],
			       (int64_t)value);
		*known = 0;
	}
	mp_map_free(&met);
	return err;
}

static uint64_t value_of(const struct mp_row *row, enum mp_metric metric)
{
	/* use 0 for a negative value, so that it does not reduce the totals of callers */
	return mp_metrics[metric].is_signed &&
	       (int64_t)row->value[metric] < 0 ? 0 : row->value[metric];
}

static int add_site(struct adding *adding, const struct mp_row *row,
		    enum mp_metric metric, enum mp_tree_shape shape)
{
	struct mp_call_point points[MP_CALL_DEPTH];
	size_t callsite, nr = mp_call_points(adding->profile, &row->location, points,
					     &callsite);
	uint64_t value = value_of(row, metric);

	nr -= callsite;
	if (shape == MP_TREE_FLAT)
		return add_flat(adding, points + callsite, nr, value);
	return add_callers(adding, points + callsite, nr, value,
			   shape == MP_TREE_CALLEES);
}

int mp_call_tree_build(struct mp_stack_tree *tree, const struct mp_profile *profile,
		       enum mp_metric metric, enum mp_tree_shape shape)
{
	struct adding adding = { .tree = tree, .profile = profile };
	enum mp_row_kind kind = mp_profile_finest(profile);
	bool flat = shape == MP_TREE_FLAT;
	size_t i;
	int err = mp_stack_tree_open(tree, flat ? 2 : 1);

	for (i = 0; !err && i < profile->nr_rows; i++)
		if (profile->rows[i].kind == kind &&
		    profile->rows[i].location.stack)
			err = add_site(&adding, &profile->rows[i], metric, shape);
	return err ?: mp_stack_tree_finish(tree, flat ? MP_CALL_TREE_WITH_CALLEES : 0);
}
