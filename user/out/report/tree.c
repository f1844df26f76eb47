// SPDX-License-Identifier: GPL-2.0-only
/*
 * tree: writes a call tree, depth first, highest value first
 *
 * A function that is the only child of its parent is not indented, so recursion and
 * long stacks stay readable; among callers its value is left out if it is that of its parent,
 * so that a row with a value begins a branch. The caller checks the stream for errors. If memory is
 * short, -ENOMEM is returned.
 */
#include "tree.h"
#include "call-tree.h"
#include "footer.h"
#include "human.h"
#include "json-frames.h"
#include "json-object.h"
#include "json.h"
#include "frame-text.h"
#include "location-text.h"

/* Limit of the indentation, in columns. */
#define MAX_INDENT	40

struct writing {
	struct mp_out *out;
	const struct mp_stack_tree *tree;
	uint32_t value;			/* index of the value for the limit */
	size_t nr_shown, nr_hidden;
};

static uint64_t value_of(const struct writing *writing, uint32_t node)
{
	return (uint64_t)mp_stack_tree_total(writing->tree, node, writing->value);
}

static double share_percent(const struct writing *writing, uint32_t node)
{
	uint64_t all = (uint64_t)mp_stack_tree_total(writing->tree, MP_STACK_TREE_ROOT, 0);

	return all ? 100.0 * (double)value_of(writing, node) / (double)all : 0;
}

static bool is_shown(const struct writing *writing, uint32_t node)
{
	return value_of(writing, node) &&
	       share_percent(writing, node) >= writing->out->min_percent;
}

static bool is_forked(const struct writing *writing, uint32_t node)
{
	const struct mp_stack_node *nodes = writing->tree->nodes;
	uint32_t child;
	int nr = 0;

	for (child = nodes[node].child; child && nr < 2; child = nodes[child].next)
		nr += is_shown(writing, child);
	return nr > 1;
}

/*
 * Returns the indentation of a node: two columns below the first row of a tree, and two per
 * further ancestor with several children that are shown.
 */
static int indentation(const struct writing *writing, uint32_t node)
{
	const struct mp_stack_node *nodes = writing->tree->nodes;
	int indent = 0;

	for (node = nodes[node].parent; node; node = nodes[node].parent)
		if (!nodes[node].parent || is_forked(writing, node))
			indent += 2;
	return indent < MAX_INDENT ? indent : MAX_INDENT;
}

/* In a tree of callers, SELF would be the share of the outermost functions, such as _start. */
static bool has_self(const struct mp_out *out)
{
	return out->tree != MP_TREE_CALLERS;
}

/* Whether a row continues a chain of callers. */
static bool continues(const struct writing *writing, uint32_t node)
{
	const uint32_t parent = writing->tree->nodes[node].parent;

	return writing->out->tree == MP_TREE_CALLERS && parent != MP_STACK_TREE_ROOT &&
	       !is_forked(writing, parent) && value_of(writing, node) == value_of(writing, parent);
}

static void write_text(const struct writing *writing, uint32_t node)
{
	struct mp_out *out = writing->out;
	char text[MP_LOCATION_TEXT_SIZE], value[MP_LOCATION_TEXT_SIZE],
	     self[MP_LOCATION_TEXT_SIZE];

	mp_location_points(out->profile, &writing->tree->nodes[node].point,
			   &writing->tree->nodes[node].last, text);
	mp_human_metric(value, out->sort, value_of(writing, node), out->exact);
	mp_human_metric(self, out->sort,
			(uint64_t)mp_stack_tree_self(writing->tree, node, 0), out->exact);
	if (continues(writing, node))
		fprintf(out->file, "%21s", "");
	else
		fprintf(out->file, "%10s %6.2f %%  ", value, share_percent(writing, node));
	if (has_self(out))
		fprintf(out->file, "%10s  ", self);
	fprintf(out->file, "%*s%s\n", indentation(writing, node), "", text);
}

static void write_json(const struct writing *writing, uint32_t node)
{
	const struct mp_stack_node *at = &writing->tree->nodes[node];
	struct json_object *line = mp_json_open("node");
	const struct mp_line *last;

	if (line) {
		mp_json_add(line, "depth",
			    json_object_new_int((int)at->depth - 1));
		mp_json_add_number(line, "value", value_of(writing, node));
		mp_json_add_number(line, "self",
				   (uint64_t)mp_stack_tree_self(writing->tree, node, 0));
		mp_json_add_point(line, writing->out->profile, &at->point);
		last = mp_point_line(writing->out->profile, &at->last);
		if (last && last->line)
			mp_json_add_number(line, "last_line", last->line);
	}
	mp_json_close(writing->out->file, line);
}

/* Of callers, a person wants some callsites with all of their callers. */
static bool counts(const struct writing *writing, uint32_t node)
{
	return writing->out->ops == &mp_json_ops || writing->out->tree != MP_TREE_CALLERS ||
	       writing->tree->nodes[node].parent == MP_STACK_TREE_ROOT;
}

static void write_nodes(struct writing *writing)
{
	const struct mp_stack_tree *tree = writing->tree;
	bool json = writing->out->ops == &mp_json_ops;
	size_t limit = writing->out->limit;
	uint32_t node = tree->nodes[MP_STACK_TREE_ROOT].child;

	while (node) {
		if (!is_shown(writing, node) ||
		    (limit && writing->nr_shown >= limit && counts(writing, node))) {
			writing->nr_hidden++;
			node = mp_stack_tree_skip(tree, node);
			continue;
		}
		writing->nr_shown += counts(writing, node);
		if (json)
			write_json(writing, node);
		else
			write_text(writing, node);
		node = mp_stack_tree_next(tree, node);
	}
}

static void write_begin(const struct mp_out *out)
{
	static const char * const titles[] = {
		[MP_TREE_CALLERS] = "CALLSITE, and below it who called",
		[MP_TREE_CALLEES] = "FUNCTION, and below it what it called",
		[MP_TREE_FLAT] = "FUNCTION, with all that it called",
	};

	if (out->headline)
		fprintf(out->file, "%s\n\n", out->headline);
	fprintf(out->file, "%10s %8s  ", mp_metrics[out->sort].heading, "SHARE");
	if (has_self(out))
		fprintf(out->file, "%10s  ", "SELF");
	fprintf(out->file, "%s\n", titles[out->tree]);
}

static void write_end(const struct writing *writing)
{
	struct mp_out *out = writing->out;
	char value[MP_LOCATION_TEXT_SIZE];

	if (out->ops == &mp_json_ops) {
		mp_json_tree_summary(out->file, out->profile,
				     writing->nr_shown, writing->nr_hidden);
		return;
	}
	mp_human_metric(value, out->sort,
			(uint64_t)mp_stack_tree_total(writing->tree, MP_STACK_TREE_ROOT, 0),
			out->exact);
	if (writing->nr_hidden)
		fprintf(out->file, "... and %zu more branch%s (--min 0 -n 0 shows all)\n",
			writing->nr_hidden, writing->nr_hidden == 1 ? "" : "es");
	fprintf(out->file, "%10s %6.2f %%  %*stotal\n\n", value, 100.0,
		has_self(out) ? 12 : 0, "");
	if (out->verbose)
		mp_footer_all(out->file, out->profile);
	else
		mp_footer_brief(out->file, out->profile, NULL, 0,
				out->ended ? MP_AT_PEAK : MP_INUSE_SPACE);
	if (out->hint)
		fprintf(out->file, "hint: %s\n", out->hint);
}

int mp_tree_report(struct mp_out *out)
{
	struct mp_stack_tree tree;
	struct writing writing = {
		.out = out, .tree = &tree,
		.value = out->tree == MP_TREE_FLAT ? MP_CALL_TREE_WITH_CALLEES : 0,
	};
	int err = mp_call_tree_build(&tree, out->profile, out->sort, out->tree);

	if (!err) {
		if (out->ops != &mp_json_ops)
			write_begin(out);
		write_nodes(&writing);
		write_end(&writing);
	}
	mp_stack_tree_free(&tree);
	return err;
}
