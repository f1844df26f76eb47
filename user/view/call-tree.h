/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * call-tree: adds up the stacks of a profile to a stack tree, from either end
 */
#ifndef MP_CALL_TREE_H
#define MP_CALL_TREE_H

#include "profile.h"
#include "stack-samples.h"
#include "stack-tree.h"

/*
 * Limit of functions in a stack: its frames and the functions inlined in them.
 */
#define MP_CALL_DEPTH	(8 * MP_STACKS_DEPTH)

/**
 * mp_call_points - the functions of a stack, from the innermost outwards
 * @location: of the stack
 * @points: out; MP_CALL_DEPTH elements
 * @callsite: out; index of the callsite. Before it are wrappers
 *
 * Return: their number. If the stack is cut, the last one has no frame.
 */
size_t mp_call_points(const struct mp_profile *profile,
		      const struct mp_location *location,
		      struct mp_call_point *points, size_t *callsite);

/** mp_call_function - key of a function: equal for the same function */
uint64_t mp_call_function(const struct mp_profile *profile,
			  const struct mp_call_point *point);

/**
 * struct mp_call_tree_input - what to add of a profile
 * @metrics: metrics to add
 * @nr: number of @metrics
 * @first: index of the value that the first metric is added to
 * @factor: 1 to add, -1 to subtract
 * @whose: MP_OWNER_* bits: frames for the owner, below which the stack begins
 * @name: writes the name of a function to @text, which has @size bytes; NULL:
 *	the name without a location is used
 */
struct mp_call_tree_input {
	const enum mp_metric *metrics;
	uint32_t nr;
	uint32_t first;
	int factor;
	unsigned int whose;
	void (*name)(const struct mp_profile *profile,
		     const struct mp_call_point *point, char *text,
		     size_t size);
};

/**
 * mp_call_tree_add - add samples of a profile
 * @samples: of @profile
 * @input: what to add
 *
 * Return: 0, or -ENOMEM.
 */
int mp_call_tree_add(struct mp_stack_tree *tree, const struct mp_profile *profile,
		 const struct mp_stack_samples *samples,
		 const struct mp_call_tree_input *input);

/**
 * enum mp_tree_shape - how stacks are added up
 * @MP_TREE_NONE: rows, no tree
 * @MP_TREE_CALLERS: from callsites outwards
 * @MP_TREE_CALLEES: from the outermost function inwards
 * @MP_TREE_FLAT: each function including its callees: only children of the root.
 *	A function counts once per stack
 */
enum mp_tree_shape {
	MP_TREE_NONE,
	MP_TREE_CALLERS,
	MP_TREE_CALLEES,
	MP_TREE_FLAT,
};

/*
 * The value of MP_TREE_FLAT that includes callees. The first value of a function
 * is the sum of the stacks that have it as callsite.
 */
#define MP_CALL_TREE_WITH_CALLEES	1

/**
 * mp_call_tree_build - add up the stacks of a profile
 * @tree: out; free it also after an error
 * @metric: the metric to add up
 *
 * Children are sorted, highest value first.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_call_tree_build(struct mp_stack_tree *tree, const struct mp_profile *profile,
		       enum mp_metric metric, enum mp_tree_shape shape);

#endif
