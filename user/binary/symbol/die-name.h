/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * die-name: what a function in DWARF is called
 */
#ifndef MP_DIE_NAME_H
#define MP_DIE_NAME_H

#include "die-children.h"
#include "symbols.h"

#include <stdbool.h>

/**
 * struct mp_die_names - names of functions, each made once
 * @names: where they are kept
 * @by_origin: what is known, by the function that inlined ones come from
 * @children: of what functions are in
 */
struct mp_die_names {
	struct mp_names *names;
	struct mp_map by_origin;
	struct mp_die_children children;
};

/**
 * struct mp_die_name - what a function is called
 * @text: in mp_die_names.names, or MP_NAMES_NONE
 * @is_linkage: from the name that its symbol has, so that it tells more
 */
struct mp_die_name {
	uint32_t text;
	bool is_linkage;
};

/**
 * mp_die_name - the name of a subprogram or of an inlined one
 * @die: DW_TAG_subprogram or DW_TAG_inlined_subroutine
 *
 * Its linkage name, demangled, else its name behind those of the namespaces and
 * classes that it is in.
 */
struct mp_die_name mp_die_name(struct mp_die_names *names, Dwarf_Die *die);

/** mp_die_names_free - free all but the texts */
void mp_die_names_free(struct mp_die_names *names);

#endif
