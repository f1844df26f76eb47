/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * call-tree: adds up stacks to a tree, from either end
 */
#ifndef MP_CALL_TREE_H
#define MP_CALL_TREE_H

#include "profile.h"

/* In place of a line: the function of the frame is not known. */
#define MP_CALL_NO_LINE		UINT32_MAX

/**
 * struct mp_call_point - a function in a stack
 * @frame: number of its frame; MP_FRAMES_NONE: the missing end of a cut stack
 * @line: index among the lines of the frame, or MP_CALL_NO_LINE
 */
struct mp_call_point {
	uint32_t frame;
	uint32_t line;
};

/**
 * struct mp_call_node - a function with one call path
 * @point: the first occurrence of the function
 * @value: sum of the stacks through this node
 * @self: sum of the stacks that end in this node
 * @parent, @child, @next: numbers of nodes; 0: none
 */
struct mp_call_node {
	struct mp_call_point point;
	uint64_t value;
	uint64_t self;
	uint32_t parent, child, next;
};

/**
 * struct mp_call_tree - the tree; all zero means empty
 * @nodes: the first one is the root
 */
struct mp_call_tree {
	struct mp_call_node *nodes;
	size_t nr, max;
	struct mp_map by_key;
};

/*
 * Limit of functions in a stack: its frames and the functions inlined in them.
 */
#define MP_CALL_DEPTH	(8 * MP_STACKS_DEPTH)

/**
 * mp_call_points - the functions of a stack, from its callsite outwards
 * @location: of the stack
 * @points: out; MP_CALL_DEPTH elements
 *
 * Return: their number. If the stack is cut, the last one has no frame.
 */
size_t mp_call_points(const struct mp_profile *profile,
		      const struct mp_location *location,
		      struct mp_call_point *points);

/**
 * mp_call_points_all - the functions of a stack, including wrappers
 * @location: of the stack
 * @points: out; MP_CALL_DEPTH elements
 * @callsite: out; index of the callsite
 *
 * Return: their number, as for mp_call_points().
 */
size_t mp_call_points_all(const struct mp_profile *profile,
			  const struct mp_location *location,
			  struct mp_call_point *points, size_t *callsite);

/** mp_call_function - key of a function: equal for the same function */
uint64_t mp_call_function(const struct mp_profile *profile,
			  const struct mp_call_point *point);

/**
 * mp_call_tree_build - add up the stacks of a profile
 * @tree: out
 * @metric: the metric to add up
 * @callees: from the outermost function inwards; else from callsites outwards
 *
 * Children are sorted, highest value first.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_call_tree_build(struct mp_call_tree *tree,
		       const struct mp_profile *profile, enum mp_metric metric,
		       bool callees);

/**
 * mp_call_tree_flatten - sum per function, including the functions it calls
 * @tree: out: only children of the root. A function counts once per stack. Its
 *	self value is the sum of the stacks that have it as callsite
 *
 * Return: 0, or -ENOMEM.
 */
int mp_call_tree_flatten(struct mp_call_tree *tree,
			 const struct mp_profile *profile,
			 enum mp_metric metric);

/** mp_call_tree_free - free all; the result is empty */
void mp_call_tree_free(struct mp_call_tree *tree);

#endif
