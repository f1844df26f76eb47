/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * die-children: entries of DWARF, to be found by their offsets
 */
#ifndef MP_DIE_CHILDREN_H
#define MP_DIE_CHILDREN_H

#include "map.h"

#include <elfutils/libdw.h>

/**
 * struct mp_die_list - the children of an entry
 * @dies: by rising offset
 */
struct mp_die_list {
	Dwarf_Die *dies;
	size_t nr;
};

/**
 * struct mp_die_children - lists that were needed; all zero is none
 * @lists: of the entries in @by_parent
 */
struct mp_die_children {
	struct mp_die_list *lists;
	size_t nr;
	struct mp_map by_parent;
};

/**
 * mp_die_child - the child that an offset is at or in
 *
 * The first time with a parent costs a look at each of its children, later ones
 * a binary search.
 *
 * Return: the last child that begins at @offset or in front of it, or NULL.
 */
const Dwarf_Die *mp_die_child(struct mp_die_children *children,
			      Dwarf_Die *parent, Dwarf_Off offset);

/** mp_die_children_free - free all */
void mp_die_children_free(struct mp_die_children *children);

#endif
