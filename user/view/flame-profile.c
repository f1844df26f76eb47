// SPDX-License-Identifier: GPL-2.0-only
/*
 * flame-profile: adds the stacks of a profile to a flame tree
 *
 * The name of a function is made once per tree. Without memory it returns
 * -ENOMEM.
 */
#include "flame-profile.h"
#include "frame-text.h"

#include <errno.h>

/* Values are untrusted: an overflow wraps around. */
static void add_to(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

/*
 * State of an addition: the profile, and a map from functions to names of the
 * flame.
 */
struct adding {
	struct mp_flame *flame;
	const struct mp_profile *profile;
	const struct mp_flame_input *input;
	struct mp_map names;
};

static uint32_t new_name(struct adding *adding,
			 const struct mp_call_point *point)
{
	const struct mp_flame_input *input = adding->input;
	struct mp_names *names = &adding->flame->names;
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

static void set_source(struct adding *adding, uint32_t node,
		       const struct mp_call_point *point)
{
	const struct mp_line *line = mp_point_line(adding->profile, point);
	const char *file = line ? mp_symbols_text(&adding->profile->symbols,
						  line->file) : NULL;

	if (!file)
		return;
	adding->flame->nodes[node].file = mp_names_add(&adding->flame->names,
						       file);
	adding->flame->nodes[node].line = line->line;
}

/* Adds the frames of a stack, outermost first; 0 without memory. */
static uint32_t add_stack(struct adding *adding, const struct mp_location *location,
			  uint32_t node)
{
	struct mp_call_point points[MP_CALL_DEPTH];
	size_t callsite, nr = mp_call_points_all(adding->profile, location, points,
						 &callsite);
	uint32_t child;

	while (nr--) {
		size_t before = adding->flame->nr;

		child = mp_flame_node(adding->flame, node,
				      name_of(adding, &points[nr]));
		if (!child)
			return 0;
		if (adding->flame->nr != before)
			set_source(adding, child, &points[nr]);
		node = child;
	}
	return node;
}

/* Adds frames for the stack's owner below @node. Sets @node to the last one. */
static bool add_owner(struct adding *adding, const struct mp_row *row,
		      uint32_t *node)
{
	char text[MP_OWNER_SIZE];
	unsigned int bit;

	for (bit = MP_OWNER_CGROUP; bit <= MP_OWNER_PID; bit <<= 1) {
		if (!(adding->input->whose & bit) ||
		    !mp_stack_sample_owner(adding->profile, row, bit, text))
			continue;
		*node = mp_flame_child(adding->flame, *node, text);
		if (!*node)
			return false;
	}
	return true;
}

static bool has_value(const struct mp_flame_input *input, const struct mp_row *row)
{
	uint32_t i;

	for (i = 0; i < input->nr; i++)
		if (row->value[input->metrics[i]])
			return true;
	return false;
}

static int add_row(struct adding *adding, const struct mp_row *row)
{
	const struct mp_flame_input *input = adding->input;
	struct mp_flame *flame = adding->flame;
	const char *name = mp_stack_sample_name(row);
	uint32_t node = MP_FLAME_ROOT, i;
	int64_t *self;

	if (!add_owner(adding, row, &node))
		return -ENOMEM;
	node = name ? mp_flame_child(flame, node, name) :
		      add_stack(adding, &row->location, node);
	if (!node)
		return -ENOMEM;
	self = flame->self + (size_t)node * flame->nr_values + input->first;
	for (i = 0; i < input->nr; i++)
		add_to(&self[i], (int64_t)(row->value[input->metrics[i]] *
					   (uint64_t)input->factor));
	return 0;
}

int mp_flame_add(struct mp_flame *flame, const struct mp_profile *profile,
		 const struct mp_stack_samples *samples,
		 const struct mp_flame_input *input)
{
	struct adding adding = {
		.flame = flame, .profile = profile, .input = input,
	};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < samples->nr; i++)
		if (has_value(input, samples->rows[i]))
			err = add_row(&adding, samples->rows[i]);
	mp_map_free(&adding.names);
	return err;
}
