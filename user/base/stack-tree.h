/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack-tree: adds up stacks to a tree of functions, from the root
 *
 * All flame graphs and the trees of reports are made of it.
 */
#ifndef MP_STACK_TREE_H
#define MP_STACK_TREE_H

#include "names.h"

#include <stddef.h>
#include <stdint.h>

/* The root, which includes all stacks. */
#define MP_STACK_TREE_ROOT	0

/* Siblings are sorted by name, not by a value. */
#define MP_STACK_TREE_BY_NAME	UINT32_MAX

/* In place of a line: the function of the frame is not known. */
#define MP_CALL_NO_LINE		UINT32_MAX

/**
 * struct mp_call_point - a function in a stack of a profile
 * @frame: number of its frame; MP_FRAMES_NONE: the missing end of a cut stack
 * @line: index among the lines of the frame, or MP_CALL_NO_LINE
 */
struct mp_call_point {
	uint32_t frame;
	uint32_t line;
};

/**
 * struct mp_stack_node - a function with one call path
 * @name: number in the names; of a tree by names
 * @point: its first occurrence; of a tree of a profile
 * @parent: its caller; the root is its own parent
 * @child: its first child in the order of mp_stack_tree_finish(); 0: none
 * @next: next child of the same parent; 0: none
 * @depth: distance from the root
 */
struct mp_stack_node {
	uint32_t name;
	struct mp_call_point point;
	uint32_t parent, child, next;
	uint32_t depth;
};

/**
 * struct mp_stack_tree - the tree; parents come before their children
 * @names: printable, not escaped for any format
 * @nr_values: number of values per node
 * @self: values of the stacks that end in a node: index node * nr_values +
 *	value
 * @total: values of all stacks through a node; set by mp_stack_tree_finish()
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
 * mp_stack_tree_open - initialise with a root
 *
 * Return: 0, or -ENOMEM. Call mp_stack_tree_free() also after an error.
 */
int mp_stack_tree_open(struct mp_stack_tree *tree, uint32_t nr_values);

/**
 * mp_stack_tree_node - find or add a child
 * @key: what distinguishes siblings: the number of the name, or of a function
 *
 * Return: its number; 0 without memory.
 */
uint32_t mp_stack_tree_node(struct mp_stack_tree *tree, uint32_t parent, uint64_t key);

/** mp_stack_tree_child - find or add a child by its name; 0 without memory */
uint32_t mp_stack_tree_child(struct mp_stack_tree *tree, uint32_t parent,
			const char *name);

/**
 * mp_stack_tree_clamp - set negative values to 0, which a picture cannot show
 *
 * Call this before mp_stack_tree_finish(). Then a negative value of one node does
 * not reduce the total of others.
 *
 * Return: the sum of the removed values, 0 or negative.
 */
int64_t mp_stack_tree_clamp(struct mp_stack_tree *tree, uint32_t value);

/**
 * mp_stack_tree_finish - compute totals and sort children
 * @by: MP_STACK_TREE_BY_NAME; or the number of a value, the highest total first, then
 *	the highest own first value
 *
 * Return: 0, or -ENOMEM.
 */
int mp_stack_tree_finish(struct mp_stack_tree *tree, uint32_t by);

/**
 * mp_stack_tree_next - the next node, callers before callees
 *
 * Return: the node, or MP_STACK_TREE_ROOT at the end.
 */
uint32_t mp_stack_tree_next(const struct mp_stack_tree *tree, uint32_t node);

/** mp_stack_tree_skip - the next node that is not below this one */
uint32_t mp_stack_tree_skip(const struct mp_stack_tree *tree, uint32_t node);

/**
 * mp_stack_tree_sort - sort nodes by their folded stack: names with ';' in between
 * @names: texts of the names, by number
 * @sorted: out: all nodes except the root; the caller frees it
 *
 * Return: their number, or -ENOMEM.
 */
long mp_stack_tree_sort(const struct mp_stack_tree *tree, char * const *names,
		   uint32_t **sorted);

/** mp_stack_tree_self - a value of the stacks that end in a node */
static inline int64_t mp_stack_tree_self(const struct mp_stack_tree *tree,
				    uint32_t node, uint32_t value)
{
	return tree->self[(size_t)node * tree->nr_values + value];
}

/** mp_stack_tree_total - a value of the stacks that lead through a node */
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

/** mp_stack_tree_free - free all; the result is empty */
void mp_stack_tree_free(struct mp_stack_tree *tree);

#endif
