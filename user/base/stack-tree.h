/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack-tree: adds up stacks to a tree of functions, with the outermost caller first
 *
 * Flame graphs and the trees of reports are written from such a tree.
 */
#ifndef MP_STACK_TREE_H
#define MP_STACK_TREE_H

#include "names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of the root. Its total is the sum of all stacks. */
#define MP_STACK_TREE_ROOT	0

/* For mp_stack_tree_finish(): sort siblings by name, not by a value. */
#define MP_STACK_TREE_BY_NAME	UINT32_MAX

/* Value of mp_call_point.line if the function of the frame is not known. */
#define MP_CALL_NO_LINE		UINT32_MAX

/**
 * struct mp_call_point - a function in a stack of a profile
 * @frame: number of the frame; MP_FRAMES_NONE: the missing end of a cut stack
 * @line: index among the lines of the frame, or MP_CALL_NO_LINE
 */
struct mp_call_point {
	uint32_t frame;
	uint32_t line;
};

/**
 * struct mp_stack_node - a function that was called through one path of callers
 * @name: number of the function's name, if the tree is built from names
 * @point: the frame of this function with the lowest source line, if the tree is built
 *	from a profile
 * @last: the frame with the highest one
 * @parent: number of the caller's node; the root is its own parent
 * @child: number of the first callee, in the order of mp_stack_tree_finish(); 0: none
 * @next: number of the next callee of the same parent; 0: none
 * @depth: distance from the root
 */
struct mp_stack_node {
	uint32_t name;
	struct mp_call_point point, last;
	uint32_t parent, child, next;
	uint32_t depth;
};

/**
 * struct mp_stack_tree - the tree; parents come before their children
 * @names: names of functions, printable, not escaped for any format
 * @nr_values: number of values per node
 * @self: values of the stacks that end in a node. Index: node * nr_values +
 *	value
 * @total: values of all stacks that include a node; set by mp_stack_tree_finish()
 * @deepest: depth of the deepest node
 */
struct mp_stack_tree {
	struct mp_names names;
	struct mp_stack_node *nodes;
	size_t nr, max;
	uint32_t nr_values;
	int64_t *self, *total;
	uint32_t deepest;
	struct mp_map by_key;
};

/**
 * mp_stack_tree_open - initialise a tree with its root
 *
 * Return: 0, or -ENOMEM. Call mp_stack_tree_free() also after an error.
 */
int mp_stack_tree_open(struct mp_stack_tree *tree, uint32_t nr_values);

/**
 * mp_stack_tree_node - find or add a callee of a node
 * @key: number of the name or of the function; siblings have different keys
 *
 * Return: number of the callee's node; 0 if memory is short.
 */
uint32_t mp_stack_tree_node(struct mp_stack_tree *tree, uint32_t parent, uint64_t key);

/** mp_stack_tree_child - find or add a callee by its name; 0 if memory is short */
uint32_t mp_stack_tree_child(struct mp_stack_tree *tree, uint32_t parent,
			const char *name);

/**
 * struct mp_stack_net - what mp_stack_tree_net() did
 * @scaled: values were below 0, so that others are smaller now
 * @left_out: sum of the children of the root that were below 0, 0 or negative
 */
struct mp_stack_net {
	bool scaled;
	int64_t left_out;
};

/**
 * mp_stack_tree_net - take what is below 0 off what is above; no frame has a negative width
 * @value: number of the value
 *
 * Each child of the root, such as a program, keeps its sum: where some of its stacks are below
 * 0, all others are smaller in proportion. A child whose sum is below 0 has 0. Call this before
 * mp_stack_tree_finish().
 *
 * Return: 0, or -ENOMEM.
 */
int mp_stack_tree_net(struct mp_stack_tree *tree, uint32_t value, struct mp_stack_net *net);

/**
 * mp_stack_tree_finish - compute totals and sort children
 * @by: MP_STACK_TREE_BY_NAME, or the number of a value: then the highest total
 *	comes first, and nodes with equal totals are sorted by their own value 0
 *
 * Return: 0, or -ENOMEM.
 */
int mp_stack_tree_finish(struct mp_stack_tree *tree, uint32_t by);

/**
 * mp_stack_tree_next - iterate over all nodes, callers before callees
 *
 * Return: the node, or MP_STACK_TREE_ROOT at the end.
 */
uint32_t mp_stack_tree_next(const struct mp_stack_tree *tree, uint32_t node);

/** mp_stack_tree_skip - like mp_stack_tree_next(), but skip the callees of the node */
uint32_t mp_stack_tree_skip(const struct mp_stack_tree *tree, uint32_t node);

/**
 * mp_stack_tree_sort - sort nodes by their folded stacks (names joined by ';')
 * @names: texts of the names, by number
 * @sorted: out: all nodes except the root; the caller frees it
 *
 * Return: number of elements in @sorted, or -ENOMEM.
 */
long mp_stack_tree_sort(const struct mp_stack_tree *tree, char * const *names,
		   uint32_t **sorted);

/** mp_stack_tree_self - a value of the stacks that end in a node */
static inline int64_t mp_stack_tree_self(const struct mp_stack_tree *tree,
				    uint32_t node, uint32_t value)
{
	return tree->self[(size_t)node * tree->nr_values + value];
}

/** mp_stack_tree_total - a value of all stacks that include a node */
static inline int64_t mp_stack_tree_total(const struct mp_stack_tree *tree,
				     uint32_t node, uint32_t value)
{
	return tree->total[(size_t)node * tree->nr_values + value];
}

/** mp_stack_tree_name - name of a node */
static inline const char *mp_stack_tree_name(const struct mp_stack_tree *tree,
					uint32_t node)
{
	return tree->names.list[tree->nodes[node].name];
}

/** mp_stack_tree_free - free all memory; the object is empty afterwards */
void mp_stack_tree_free(struct mp_stack_tree *tree);

#endif
