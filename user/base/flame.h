/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame: adds up stacks to a tree of function names, from the root
 *
 * All flame graphs are made of it: folded lines, pictures and files for
 * viewers.
 */
#ifndef MP_FLAME_H
#define MP_FLAME_H

#include "names.h"

#include <stddef.h>
#include <stdint.h>

/* The root, which includes all stacks. */
#define MP_FLAME_ROOT	0

/**
 * struct mp_flame_node - a function with one call path
 * @name: number in the names
 * @file: source file of its first occurrence, number in the names; or
 *	MP_NAMES_NONE
 * @line: line in @file; 0: not known
 * @parent: its caller; the root is its own parent
 * @child: its first child by name; 0: none
 * @next: next child of the same parent; 0: none
 * @depth: distance from the root
 */
struct mp_flame_node {
	uint32_t name, file, line;
	uint32_t parent, child, next;
	uint32_t depth;
};

/**
 * struct mp_flame - the tree; parents come before their children
 * @names: printable, not escaped for any format
 * @nr_values: number of values per node
 * @self: values of the stacks that end in a node: index node * nr_values +
 *	value
 * @total: values of all stacks through a node; set by mp_flame_finish()
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
 * mp_flame_open - initialise with a root
 *
 * Return: 0, or -ENOMEM. Call mp_flame_free() also after an error.
 */
int mp_flame_open(struct mp_flame *flame, uint32_t nr_values);

/** mp_flame_node - find or add a child by its name's number; 0 without memory */
uint32_t mp_flame_node(struct mp_flame *flame, uint32_t parent, uint32_t name);

/** mp_flame_child - find or add a child by its name; 0 without memory */
uint32_t mp_flame_child(struct mp_flame *flame, uint32_t parent,
			const char *name);

/**
 * mp_flame_clamp - set negative values to 0, which a picture cannot show
 *
 * Call this before mp_flame_finish(). Then a negative value of one node does
 * not reduce the total of others.
 *
 * Return: the sum of the removed values, 0 or negative.
 */
int64_t mp_flame_clamp(struct mp_flame *flame, uint32_t value);

/**
 * mp_flame_finish - compute totals and sort children by name
 *
 * Return: 0, or -ENOMEM.
 */
int mp_flame_finish(struct mp_flame *flame);

/**
 * mp_flame_next - the next node, callers before callees
 *
 * Return: the node, or MP_FLAME_ROOT at the end.
 */
uint32_t mp_flame_next(const struct mp_flame *flame, uint32_t node);

/** mp_flame_skip - the next node that is not below this one */
uint32_t mp_flame_skip(const struct mp_flame *flame, uint32_t node);

/**
 * mp_flame_sort - sort nodes by their folded stack: names with ';' in between
 * @names: texts of the names, by number
 * @sorted: out: all nodes except the root; the caller frees it
 *
 * Return: their number, or -ENOMEM.
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

/** mp_flame_name - name of a node */
static inline const char *mp_flame_name(const struct mp_flame *flame,
					uint32_t node)
{
	return flame->names.list[flame->nodes[node].name];
}

/** mp_flame_free - free all; the result is empty */
void mp_flame_free(struct mp_flame *flame);

#endif
