/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * die-children: finds DWARF entries by their offset
 */
#ifndef MP_DIE_CHILDREN_H
#define MP_DIE_CHILDREN_H

#include "map.h"

#include <elfutils/libdw.h>

/**
 * struct mp_die_list - the children of an entry
 * @dies: by ascending offset
 * @nr: number of @dies
 */
struct mp_die_list {
	Dwarf_Die *dies;
	size_t nr;
};

/**
 * struct mp_die_children - lists of children; all zero means empty
 * @lists: one for each entry in @by_parent
 * @nr: number of @lists
 * @by_parent: entry -> list
 */
struct mp_die_children {
	struct mp_die_list *lists;
	size_t nr;
	struct mp_map by_parent;
};

/**
 * mp_die_child - find the child that contains an offset
 *
 * The first call for a parent reads all its children. Later calls are a binary
 * search.
 *
 * Return: the last child that begins at or before @offset, or NULL.
 */
const Dwarf_Die *mp_die_child(struct mp_die_children *children,
			      Dwarf_Die *parent, Dwarf_Off offset);

#endif
