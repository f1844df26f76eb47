// SPDX-License-Identifier: GPL-2.0-only
/*
 * tree: writes a call tree, depth first, highest value first
 *
 * An only child is not indented, so recursion and long stacks stay readable.
 * The caller checks the stream for errors. Without memory it returns -ENOMEM.
 */
#include "tree.h"
#include "call-tree.h"
#include "footer.h"
#include "human.h"
#include "json-frames.h"
#include "json-object.h"
#include "json.h"
#include "location-text.h"

#include <errno.h>

/* Limit of the indentation. */
#define MAX_INDENT	40

struct writing {
	struct mp_out *out;
	const struct mp_call_tree *tree;
	size_t nr_shown, nr_hidden;
};

static double share_percent(const struct mp_call_tree *tree, uint64_t value)
{
	return tree->nodes[0].value ?
	       100.0 * (double)value / (double)tree->nodes[0].value : 0;
}

static void write_text(const struct writing *writing,
		       const struct mp_call_node *node, unsigned int indent)
{
	struct mp_out *out = writing->out;
	char text[MP_LOCATION_TEXT_SIZE], value[MP_LOCATION_TEXT_SIZE],
	     self[MP_LOCATION_TEXT_SIZE];

	mp_location_point(out->profile, &node->point, text);
	mp_human_metric(value, out->sort, node->value, out->exact);
	mp_human_metric(self, out->sort, node->self, out->exact);
	fprintf(out->file, "%10s %6.2f %%  %10s  %*s%s\n", value,
		share_percent(writing->tree, node->value), self,
		(int)(indent < MAX_INDENT ? indent : MAX_INDENT), "", text);
}

static void write_json(const struct writing *writing,
		       const struct mp_call_node *node, unsigned int depth)
{
	struct json_object *line = mp_json_open("node");

	if (line) {
		mp_json_add(line, "depth",
			    json_object_new_int((int)depth));
		mp_json_add_number(line, "value", node->value);
		mp_json_add_number(line, "self", node->self);
		mp_json_add_point(line, writing->out->profile, &node->point);
	}
	mp_json_close(writing->out->file, line);
}

/* The next node that is not below this one; updates depth and indentation. */
static uint32_t step_over(const struct mp_call_tree *tree, uint32_t node,
			  unsigned int *depth, unsigned int *indent)
{
	uint32_t parent;

	while (node && !tree->nodes[node].next) {
		parent = tree->nodes[node].parent;
		--*depth;
		if (parent && tree->nodes[tree->nodes[parent].child].next)
			*indent -= 2;
		node = parent;
	}
	return node ? tree->nodes[node].next : 0;
}

static void write_nodes(struct writing *writing)
{
	const struct mp_call_tree *tree = writing->tree;
	bool json = writing->out->ops == &mp_json_ops;
	unsigned int depth = 0, indent = 0;
	const struct mp_call_node *at;
	size_t limit = writing->out->limit;
	uint32_t node = tree->nodes[0].child;

	while (node) {
		at = &tree->nodes[node];
		if (share_percent(tree, at->value) < writing->out->min_percent ||
		    !at->value || (limit && writing->nr_shown >= limit)) {
			writing->nr_hidden++;
			node = step_over(tree, node, &depth, &indent);
			continue;
		}
		writing->nr_shown++;
		if (json)
			write_json(writing, at, depth);
		else
			write_text(writing, at, indent);
		if (!at->child) {
			node = step_over(tree, node, &depth, &indent);
			continue;
		}
		depth++;
		if (tree->nodes[at->child].next)
			indent += 2;
		node = at->child;
	}
}

static void write_begin(const struct mp_out *out)
{
	static const char * const titles[] = {
		[MP_TREE_CALLERS] = "CALLSITE, and below it who called",
		[MP_TREE_CALLEES] = "FUNCTION, and below it what it called",
		[MP_TREE_FLAT] = "FUNCTION, with all that it called",
	};

	fprintf(out->file, "%10s %8s  %10s  %s\n",
		mp_metrics[out->sort].heading, "SHARE", "SELF",
		titles[out->tree]);
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
	mp_human_metric(value, out->sort, writing->tree->nodes[0].value,
			out->exact);
	if (writing->nr_hidden)
		fprintf(out->file, "... and %zu more branches (--min 0 -n 0 shows all)\n",
			writing->nr_hidden);
	fprintf(out->file, "%10s %6.2f %%  %10s  total\n\n", value, 100.0, "");
	mp_footer_all(out->file, out->profile);
}

int mp_tree_report(struct mp_out *out)
{
	struct mp_call_tree tree;
	struct writing writing = { .out = out, .tree = &tree };
	int err = out->tree == MP_TREE_FLAT ?
		  mp_call_tree_flatten(&tree, out->profile, out->sort) :
		  mp_call_tree_build(&tree, out->profile, out->sort,
				     out->tree == MP_TREE_CALLEES);

	if (!err) {
		if (out->ops != &mp_json_ops)
			write_begin(out);
		write_nodes(&writing);
		write_end(&writing);
	}
	mp_call_tree_free(&tree);
	return err;
}
