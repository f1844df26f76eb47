// SPDX-License-Identifier: GPL-2.0-only
/*
 * die-children: keeps an array of the children of each parent entry
 *
 * DWARF is a stream: to find an entry, all entries before it have to be read,
 * at 50 ns each. An array costs 32 bytes per entry. Functions return NULL
 * without memory.
 */
#include "die-children.h"

#include <stdlib.h>

static int append(struct mp_die_list *list, size_t *max, const Dwarf_Die *die)
{
	size_t more = *max ? *max * 2 : 16;
	Dwarf_Die *dies;

	if (list->nr == *max) {
		dies = reallocarray(list->dies, more, sizeof(*dies));
		if (!dies)
			return -1;
		list->dies = dies;
		*max = more;
	}
	list->dies[list->nr++] = *die;
	return 0;
}

static void list_children(struct mp_die_list *list, Dwarf_Die *parent)
{
	size_t max = 0;
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return;
	do {
		if (append(list, &max, &die))
			return;
	} while (!dwarf_siblingof(&die, &die));
}

/* Finds or creates the list of @parent; NULL without memory. */
static struct mp_die_list *list_of(struct mp_die_children *children,
				   Dwarf_Die *parent)
{
	uint32_t *known = mp_map_add(&children->by_parent,
				     (uintptr_t)parent->addr, 0);
	struct mp_die_list *lists;

	if (!known)
		return NULL;
	if (*known != MP_MAP_NEW)
		return &children->lists[*known];
	lists = reallocarray(children->lists, children->nr + 1,
			     sizeof(*lists));
	if (!lists) {
		mp_map_remove(&children->by_parent, (uintptr_t)parent->addr,
			      0);
		return NULL;
	}
	children->lists = lists;
	lists[children->nr] = (struct mp_die_list){ 0 };
	*known = (uint32_t)children->nr;
	list_children(&lists[children->nr], parent);
	return &lists[children->nr++];
}

const Dwarf_Die *mp_die_child(struct mp_die_children *children,
			      Dwarf_Die *parent, Dwarf_Off offset)
{
	struct mp_die_list *list = list_of(children, parent);
	size_t low = 0, high = list ? list->nr : 0, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (dwarf_dieoffset(&list->dies[middle]) <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &list->dies[low - 1] : NULL;
}
