/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * die-name: gets the names of functions from DWARF
 */
#ifndef MP_DIE_NAME_H
#define MP_DIE_NAME_H

#include "die-children.h"
#include "symbols.h"

#include <stdbool.h>

/**
 * struct mp_die_names - names of functions; each is made once
 * @names: texts
 * @by_origin: abstract function -> its name
 * @children: entries of namespaces and classes
 */
struct mp_die_names {
	struct mp_names *names;
	struct mp_map by_origin;
	struct mp_die_children children;
};

/**
 * struct mp_die_name - the name of a function
 * @text: number in mp_die_names.names, or MP_NAMES_NONE
 * @is_linkage: made from the linkage name, which is more complete
 */
struct mp_die_name {
	uint32_t text;
	bool is_linkage;
};

/**
 * mp_die_name - name a function or an inlined function
 * @die: DW_TAG_subprogram or DW_TAG_inlined_subroutine
 *
 * The name is the demangled linkage name. If there is none, it is the
 * function's name after the names of its namespaces and classes.
 */
struct mp_die_name mp_die_name(struct mp_die_names *names, Dwarf_Die *die);

#endif
