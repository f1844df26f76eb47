/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame: stacks added up from the root, by the names of their functions
 *
 * What every flame graph is made of: folded lines, pictures, a viewer's file.
 */
#ifndef MP_FLAME_H
#define MP_FLAME_H

#include "names.h"

#include <stddef.h>
#include <stdint.h>

/* The node of all stacks. */
#define MP_FLAME_ROOT	0

/**
 * struct mp_flame_node - a function, called the same way
 * @name: among the names
 * @file: source of the first one that came, among the names; or MP_NAMES_NONE
 * @line: in it, 0 where it is not known
 * @parent: its caller; of the root itself
 * @child: the first, by name, of those it called; 0: none
 * @next: of the same parent; 0: none
 * @depth: 0 of the root
 */
struct mp_flame_node {
	uint32_t name, file, line;
	uint32_t parent, child, next;
	uint32_t depth;
};

/**
 * struct mp_flame - all of them, parents first
 * @names: printable, not escaped for any format
 * @nr_values: that each node has
 * @self: values of stacks that end in a node: node * nr_values + value
 * @total: with those that go on, after mp_flame_finish()
 * @deepest: depth of the deepest node
 */
struct mp_flame {
	struct mp_names names;
	struct mp_flame_node *nodes;
	size_t nr, max;
	uint32_t nr_values;
	int64_t *self, *total;
	uint32_t deepest;
	struct mp_map by_location;
};

/**
 * mp_flame_open - begin with a root that has no name
 *
 * Return: 0, or -ENOMEM; mp_flame_free() follows in any case.
 */
int mp_flame_open(struct mp_flame *flame, uint32_t nr_values);

/** mp_flame_node - the node of a name, by its number, below another; as below */
uint32_t mp_flame_node(struct mp_flame *flame, uint32_t parent, uint32_t name);

/** mp_flame_child - the node of a name below another; 0 without memory */
uint32_t mp_flame_child(struct mp_flame *flame, uint32_t parent,
			const char *name);

/**
 * mp_flame_clamp - leave out what a picture cannot show: values below 0
 *
 * To be called before mp_flame_finish(). What shrank in one place then adds
 * nothing to what grew in another.
 *
 * Return: the sum that was left out, 0 or below.
 */
int64_t mp_flame_clamp(struct mp_flame *flame, uint32_t value);

/**
 * mp_flame_finish - add up, and sort children by name
 *
 * Return: 0, or -ENOMEM.
 */
int mp_flame_finish(struct mp_flame *flame);

/**
 * mp_flame_next - the node after this one, callers before what they called
 *
 * Return: MP_FLAME_ROOT after the last one.
 */
uint32_t mp_flame_next(const struct mp_flame *flame, uint32_t node);

/** mp_flame_skip - the same, without those that this one called */
uint32_t mp_flame_skip(const struct mp_flame *flame, uint32_t node);

/**
 * mp_flame_sort - nodes by the bytes of their stack, names with ';' between
 * @names: what names are there, by number
 * @sorted: out: all but the root; to be freed
 *
 * Return: how many, or -ENOMEM.
 */
long mp_flame_sort(const struct mp_flame *flame, char * const *names,
		   uint32_t **sorted);

/** mp_flame_self - a value of the stacks that end in a node */
static inline int64_t mp_flame_self(const struct mp_flame *flame,
				    uint32_t node, uint32_t value)
{
	return flame->self[(size_t)node * flame->nr_values + value];
}

/** mp_flame_total - a value of the stacks that lead through a node */
static inline int64_t mp_flame_total(const struct mp_flame *flame,
				     uint32_t node, uint32_t value)
{
	return flame->total[(size_t)node * flame->nr_values + value];
}

/** mp_flame_name - of a node */
static inline const char *mp_flame_name(const struct mp_flame *flame,
					uint32_t node)
{
	return flame->names.list[flame->nodes[node].name];
}

/** mp_flame_free - free all; none is left afterwards */
void mp_flame_free(struct mp_flame *flame);

#endif
