/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * call-tree: stacks added up from one of their ends
 */
#ifndef MP_CALL_TREE_H
#define MP_CALL_TREE_H

#include "profile.h"

/* In place of a line: the frame is all that is known. */
#define MP_CALL_NO_LINE		UINT32_MAX

/**
 * struct mp_call_point - a function in a stack
 * @frame: where in the profile's frames; MP_FRAMES_NONE: a stack's missing end
 * @line: among what that is called, or MP_CALL_NO_LINE
 */
struct mp_call_point {
	uint32_t frame;
	uint32_t line;
};

/**
 * struct mp_call_node - a function, called the same way
 * @point: the first one that came; the same function elsewhere is the same node
 * @value: of the stacks that lead through it
 * @self: of those that end here
 * @parent, @child, @next: nodes; 0 is none
 */
struct mp_call_node {
	struct mp_call_point point;
	uint64_t value;
	uint64_t self;
	uint32_t parent, child, next;
};

/**
 * struct mp_call_tree - all of them; all zero is none
 * @nodes: the first is the root, of all stacks
 */
struct mp_call_tree {
	struct mp_call_node *nodes;
	size_t nr, max;
	struct mp_map by_key;
};

/* Functions of a stack: frames, with those that are inlined in them. */
#define MP_CALL_DEPTH	(8 * MP_STACKS_DEPTH)

/**
 * mp_call_points - the functions of a stack, from its callsite on outwards
 * @location: of the stack
 * @points: out, MP_CALL_DEPTH of them
 *
 * Return: how many; a cut stack's last one has no frame.
 */
size_t mp_call_points(const struct mp_profile *profile,
		      const struct mp_location *location,
		      struct mp_call_point *points);

/**
 * mp_call_points_all - the same, with the wrappers inside of the callsite
 * @callsite: out, which of them it is
 */
size_t mp_call_points_all(const struct mp_profile *profile,
			  const struct mp_location *location,
			  struct mp_call_point *points, size_t *callsite);

/** mp_call_function - what tells functions apart: equal for the same one */
uint64_t mp_call_function(const struct mp_profile *profile,
			  const struct mp_call_point *point);

/**
 * mp_call_tree_build - add up the stacks of a profile
 * @tree: out
 * @metric: what of them
 * @callees: from the outermost function on inwards; else from callsites outwards
 *
 * Children are sorted, highest first.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_call_tree_build(struct mp_call_tree *tree,
		       const struct mp_profile *profile, enum mp_metric metric,
		       bool callees);

/**
 * mp_call_tree_flatten - functions with what happened in all that they called
 * @tree: out: children of the root only; a function counts once in each stack,
 *	its self are the stacks whose callsite it is
 *
 * Return: 0, or -ENOMEM.
 */
int mp_call_tree_flatten(struct mp_call_tree *tree,
			 const struct mp_profile *profile,
			 enum mp_metric metric);

/** mp_call_tree_free - free all; none is left afterwards */
void mp_call_tree_free(struct mp_call_tree *tree);

#endif
