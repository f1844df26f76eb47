/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * call-tree: adds up the stacks of a profile in a tree of callers or of callees
 */
#ifndef MP_CALL_TREE_H
#define MP_CALL_TREE_H

#include "profile.h"
#include "stack-samples.h"
#include "stack-tree.h"

/*
 * Limit of functions in a stack. A frame has a function, and any number of functions
 * that are inlined in it.
 */
#define MP_CALL_DEPTH	(8 * MP_STACKS_DEPTH)

/**
 * mp_call_points - list the functions of a stack, innermost first
 * @location: location of the row with the stack
 * @points: out: the functions; MP_CALL_DEPTH elements
 * @callsite: out: index of the callsite. The functions before it are wrappers
 *
 * Return: number of functions. If the stack is cut, the last one has no frame.
 */
size_t mp_call_points(const struct mp_profile *profile,
		      const struct mp_location *location,
		      struct mp_call_point *points, size_t *callsite);

/** mp_call_function - key of a function; all points in one function have the same key */
uint64_t mp_call_function(const struct mp_profile *profile,
			  const struct mp_call_point *point);

/* Writes the name of a function to @text, which has @size bytes. */
typedef void (*mp_point_namer)(const struct mp_profile *profile,
			       const struct mp_call_point *point, char *text,
			       size_t size);

/**
 * struct mp_call_tree_input - how to add a profile to a tree
 * @metrics: metrics to add
 * @nr: number of @metrics
 * @first: index of the value that the first metric is added to
 * @factor: 1 to add, -1 to subtract
 * @whose: MP_OWNER_* bits: frames for the stack's owner, between the root and the
 *	stack
 * @name: callback that writes the name of a function to @text, which has @size
 *	bytes; NULL: use mp_point_name()
 */
struct mp_call_tree_input {
	const enum mp_metric *metrics;
	uint32_t nr;
	uint32_t first;
	int factor;
	unsigned int whose;
	mp_point_namer name;
};

/**
 * mp_call_tree_add - add the stacks of a profile to a tree
 * @samples: stacks and their values, from @profile
 * @input: what to add
 *
 * Return: 0, or -ENOMEM.
 */
int mp_call_tree_add(struct mp_stack_tree *tree, const struct mp_profile *profile,
		 const struct mp_stack_samples *samples,
		 const struct mp_call_tree_input *input);

/**
 * enum mp_tree_shape - how stacks are added up
 * @MP_TREE_NONE: no tree; rows are shown
 * @MP_TREE_CALLERS: callsites are children of the root, and callers are below them
 * @MP_TREE_CALLEES: outermost functions are children of the root, and callees are
 *	below them
 * @MP_TREE_FLAT: all functions are children of the root, with values that include
 *	their callees. A function is counted once per stack
 */
enum mp_tree_shape {
	MP_TREE_NONE,
	MP_TREE_CALLERS,
	MP_TREE_CALLEES,
	MP_TREE_FLAT,
};

/*
 * Number of the value that includes callees, in a tree of MP_TREE_FLAT. Value 0 of a
 * function is the sum of the stacks whose callsite is in this function.
 */
#define MP_CALL_TREE_WITH_CALLEES	1

/**
 * mp_call_tree_build - build a tree of the stacks of a profile
 * @tree: out: the tree; free it also after an error
 * @metric: the metric to add up
 *
 * Children are sorted by their value, highest first.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_call_tree_build(struct mp_stack_tree *tree, const struct mp_profile *profile,
		       enum mp_metric metric, enum mp_tree_shape shape);

#endif
