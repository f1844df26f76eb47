// SPDX-License-Identifier: GPL-2.0-only
/*
 * die-name: names functions by linkage name, or by the namespaces that contain
 * them
 *
 * DWARF entries have no link to their parent. So the parents of a function are
 * searched from the top of its unit: at each level, the last entry that begins
 * before the function contains it. This is needed only for C++ functions
 * without a linkage name, which gcc emits for functions local to a unit. Each
 * name is made once. Without memory a function has no name.
 */
#include "die-name.h"
#include "demangle.h"
#include "text.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

/* Limit of nested namespaces and classes. */
#define MAX_DEPTH	16

/* Lowest bit of the values in mp_die_names.by_origin. */
#define IS_LINKAGE	1U

/* Finds the abstract function that a function is an inlined or emitted copy of. */
static void find_origin(Dwarf_Die *die, Dwarf_Die *origin)
{
	Dwarf_Attribute attr;
	int hops;

	*origin = *die;
	/* a chain of more than eight references is corrupt */
	for (hops = 0; hops < 8; hops++)
		if (!dwarf_attr(origin, DW_AT_abstract_origin, &attr) ||
		    !dwarf_formref_die(&attr, origin))
			return;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) &&
	    !dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return NULL;
	return dwarf_formstring(&attr);
}

static const char *plain_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_name, &attr) ?
	       dwarf_formstring(&attr) : NULL;
}

static bool has_c_names(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		return true;
	}
	return false;
}

static bool names_its_children(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_interface_type:
	case DW_TAG_subprogram:
		return true;
	}
	return false;
}

/* Writes the names of @die's parents, each followed by "::". */
static void write_parents(struct mp_die_names *names, Dwarf_Die *die, char *to,
			  size_t size)
{
	Dwarf_Off offset = dwarf_dieoffset(die);
	const Dwarf_Die *next;
	const char *name;
	Dwarf_Die at;
	size_t used = 0;
	int depth;

	to[0] = '\0';
	if (!dwarf_diecu(die, &at, NULL, NULL) || has_c_names(&at))
		return;
	for (depth = 0; depth < MAX_DEPTH && used < size; depth++) {
		next = mp_die_child(&names->children, &at, offset);
		if (!next)
			return;
		at = *next;
		if (dwarf_dieoffset(&at) == offset)
			return;
		name = names_its_children(&at) ? plain_name(&at) : NULL;
		if (name)
			used += snprintf(to + used, size - used, "%s::", name);
	}
}

static void qualify(struct mp_die_names *names, Dwarf_Die *die,
		    const char *name, char *to)
{
	char text[MP_SYMBOL_TEXT_SIZE];
	Dwarf_Attribute attr;
	Dwarf_Die declared = *die;
	size_t len;

	/* the declaration is inside the namespace, the definition is not */
	if (dwarf_attr(die, DW_AT_specification, &attr) &&
	    !dwarf_formref_die(&attr, &declared))
		declared = *die;
	write_parents(names, &declared, text, sizeof(text));
	len = strlen(text);
	snprintf(text + len, sizeof(text) - len, "%s", name);
	mp_text_escape(to, MP_SYMBOL_TEXT_SIZE, text, sizeof(text));
}

static struct mp_die_name make_name(struct mp_die_names *names, Dwarf_Die *die,
				    Dwarf_Die *origin)
{
	struct mp_die_name name = { .text = MP_NAMES_NONE };
	char text[MP_SYMBOL_TEXT_SIZE];
	const char *raw = linkage_name(die);

	name.is_linkage = raw;
	if (raw)
		mp_demangle(text, sizeof(text), raw);
	else
		raw = plain_name(die);
	if (raw && !name.is_linkage)
		qualify(names, origin, raw, text);
	if (raw && text[0])
		name.text = mp_names_add(names->names, text);
	return name;
}

struct mp_die_name mp_die_name(struct mp_die_names *names, Dwarf_Die *die)
{
	struct mp_die_name name;
	Dwarf_Die origin;
	uint32_t *known;

	find_origin(die, &origin);
	known = mp_map_add(&names->by_origin, (uintptr_t)origin.addr, 0);
	if (!known)
		return (struct mp_die_name){ .text = MP_NAMES_NONE };
	if (*known != MP_MAP_NEW) {
		name.is_linkage = *known & IS_LINKAGE;
		name.text = *known >> 1;
		if (name.text == MP_NAMES_NONE >> 1)
			name.text = MP_NAMES_NONE;
		return name;
	}
	name = make_name(names, die, &origin);
	/*
	 * this value is never MP_MAP_NEW (all ones), which marks a new key in
	 * the map
	 */
	*known = (name.text << 1) | (name.is_linkage ? IS_LINKAGE : 0);
	return name;
}
