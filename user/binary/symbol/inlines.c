// SPDX-License-Identifier: GPL-2.0-only
/*
 * inlines: reads each unit that contains one of the addresses, once
 *
 * The walk is top down. Each function and inlined function is added to the
 * addresses that it contains. An entry that contains none of them is skipped. A
 * unit costs about 50 ns per entry and the reading of its line table, for any
 * number of addresses.
 *
 * In a corrupt file, functions can overlap. So an address belongs to the first
 * function that contains it, and an inlined function counts only directly
 * inside of its function. Addresses in unreadable parts have no lines.
 */
#include "inlines.h"
#include "array.h"
#include "split-unit.h"
#include "symbol-table.h"
#include "text.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limit of nested entries. Compilers make dozens. */
#define MAX_DEPTH	512

/* Limit of inlined functions of all addresses, to limit memory. */
#define MAX_FRAMES	(16U << 20)

/*
 * struct walk - a walk over one unit
 * @inlines: the search
 * @unit: top entry of the unit
 * @files: file table of the unit
 * @nr_files: number of @files
 * @is_c: C or C++, where classes contain only declarations
 * @is_thorough: also search in functions that contain none of the addresses
 */
struct walk {
	struct mp_inlines *inlines;
	Dwarf_Die *unit;
	Dwarf_Files *files;
	size_t nr_files;
	bool is_c;
	bool is_thorough;
};

/* With DWARF 5, libdw does not prepend the unit's folder to a relative path. */
static void whole_path(char *to, size_t size, Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attr;
	const char *dir = NULL;

	if (path[0] != '/' && dwarf_attr(unit, DW_AT_comp_dir, &attr))
		dir = dwarf_formstring(&attr);
	snprintf(to, size, "%s%s%s", dir ? dir : "", dir ? "/" : "", path);
}

/* libdw returns the same pointer for the same text, so each text is escaped once. */
static uint32_t file_name(struct mp_inlines *inlines, Dwarf_Die *unit,
			  const char *path)
{
	char text[MP_SYMBOL_TEXT_SIZE], whole[MP_SYMBOL_TEXT_SIZE];
	uint32_t *known;

	if (!path)
		return MP_NAMES_NONE;
	known = mp_map_add(&inlines->files, (uintptr_t)path, 0);
	if (!known)
		return MP_NAMES_NONE;
	if (*known != MP_MAP_NEW)
		return *known;
	whole_path(whole, sizeof(whole), unit, path);
	mp_text_escape(text, sizeof(text), whole, strlen(whole));
	*known = mp_names_add(inlines->functions.names, text);
	return *known;
}

static uint32_t attribute_number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value) ||
	    value > INT32_MAX)
		return 0;
	return (uint32_t)value;
}

static struct mp_inline *new_frame(struct mp_inlines *inlines)
{
	if (inlines->nr_frames == inlines->max_frames &&
	    !mp_array_grow(&inlines->frames, &inlines->max_frames, sizeof(*inlines->frames)))
		return NULL;
	return &inlines->frames[inlines->nr_frames++];
}

/* Sets the fields of @frame that are equal for all addresses in @die. */
static void describe_frame(struct walk *walk, Dwarf_Die *die, struct mp_inline *frame)
{
	const char *path = NULL;
	uint32_t file;

	frame->die = (uintptr_t)die->addr;
	frame->name = mp_die_name(&walk->inlines->functions, die);
	frame->file = MP_NAMES_NONE;
	if (dwarf_tag(die) != DW_TAG_inlined_subroutine)
		return;
	frame->line = attribute_number(die, DW_AT_call_line);
	file = attribute_number(die, DW_AT_call_file);
	if (file < walk->nr_files)
		path = dwarf_filesrc(walk->files, file, NULL, NULL);
	frame->file = file_name(walk->inlines, walk->unit, path);
}

/*
 * Returns true if the address can be in @die, which is inside of the function
 * @around (or 0).
 */
static bool belongs(const struct mp_inlines *inlines,
		    const struct mp_code *code, uintptr_t around)
{
	const struct mp_inline *inner;

	if (code->inner == MP_FRAME_NONE)
		return !around;
	inner = &inlines->frames[code->inner];
	return around && inner->die == around &&
	       inner->depth < MP_SYMBOL_MAX_LINES - 1;
}

static void add_frame(struct walk *walk, const struct mp_inline *model, size_t i,
		      uint64_t start)
{
	struct mp_code *code = &walk->inlines->codes[i];
	struct mp_inline *frame = new_frame(walk->inlines);

	if (!frame)
		return;
	*frame = *model;
	frame->outer = code->inner;
	if (code->inner == MP_FRAME_NONE)
		code->start = start;
	else
		frame->depth = walk->inlines->frames[code->inner].depth + 1;
	code->inner = (uint32_t)(frame - walk->inlines->frames);
}

/* Returns true if @die contains one of the addresses. */
static bool cover_addresses(struct walk *walk, Dwarf_Die *die, uintptr_t around)
{
	struct mp_inlines *inlines = walk->inlines;
	struct mp_inline model = { 0 };
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;
	size_t i;

	while ((next = dwarf_ranges(die, next, &base, &low, &high)) > 0) {
		/* linkers set removed code to address 0: skip it */
		i = mp_addresses_from(inlines->addresses, inlines->nr, low);
		for (; low && i < inlines->nr &&
		     inlines->addresses[i] < high; i++) {
			if (!belongs(inlines, &inlines->codes[i], around))
				continue;
			if (!model.die)
				describe_frame(walk, die, &model);
			add_frame(walk, &model, i, low);
		}
	}
	return model.die;
}

static void walk_children(struct walk *walk, Dwarf_Die *parent,
			  uintptr_t around, int depth);

static void walk_die(struct walk *walk, Dwarf_Die *die, uintptr_t around,
		     int depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (cover_addresses(walk, die, 0))
			walk_children(walk, die, (uintptr_t)die->addr, depth);
		else if (walk->is_thorough)
			walk_children(walk, die, 0, depth);
		break;
	case DW_TAG_inlined_subroutine:
		if (around && cover_addresses(walk, die, around))
			walk_children(walk, die, (uintptr_t)die->addr, depth);
		break;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		if (walk->is_c && !walk->is_thorough)
			break;
		walk_children(walk, die, 0, depth);
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
		walk_children(walk, die, 0, depth);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		walk_children(walk, die, around, depth);
		break;
	}
}

static void walk_children(struct walk *walk, Dwarf_Die *parent,
			  uintptr_t around, int depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die))
		return;
	do {
		walk_die(walk, &die, around, depth + 1);
	} while (!dwarf_siblingof(&die, &die));
}

static bool is_c(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	}
	return false;
}

static void find_line(struct mp_inlines *inlines, Dwarf_Die *unit, size_t i)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, inlines->addresses[i]);
	int attribute_number = 0;

	if (!line)
		return;
	if (!dwarf_lineno(line, &attribute_number) && attribute_number > 0)
		inlines->codes[i].line = (uint32_t)attribute_number;
	inlines->codes[i].file = file_name(inlines, unit,
					   dwarf_linesrc(line, NULL, NULL));
}

/* Returns true if the unit has addresses that no earlier unit has. */
static bool claim_unit(struct mp_inlines *inlines, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;
	bool any = false;
	size_t i;

	while ((next = dwarf_ranges(unit, next, &base, &low, &high)) > 0) {
		i = mp_addresses_from(inlines->addresses, inlines->nr, low);
		for (; low && i < inlines->nr &&
		     inlines->addresses[i] < high; i++) {
			if (inlines->codes[i].has_unit)
				continue;
			inlines->codes[i].has_unit = true;
			find_line(inlines, unit, i);
			any = true;
		}
	}
	return any;
}

/* Returns true if a function was found for each address of the unit. */
static bool is_whole(const struct mp_inlines *inlines, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;
	size_t i;

	while ((next = dwarf_ranges(unit, next, &base, &low, &high)) > 0) {
		i = mp_addresses_from(inlines->addresses, inlines->nr, low);
		for (; low && i < inlines->nr &&
		     inlines->addresses[i] < high; i++)
			if (inlines->codes[i].inner == MP_FRAME_NONE)
				return false;
	}
	return true;
}

static void walk_unit(struct mp_inlines *inlines, Dwarf_Die *unit)
{
	struct walk walk = { .inlines = inlines, .unit = unit };

	struct mp_split_unit split = { .skeleton = unit, .dir = inlines->dir };
	Dwarf_Die *top = unit;

	if (!claim_unit(inlines, unit))
		return;
	if (dwarf_getsrcfiles(unit, &walk.files, &walk.nr_files))
		walk.nr_files = 0;
	if (mp_split_unit_open(&split))
		top = &split.unit;
	walk.is_c = is_c(top);
	walk_children(&walk, top, 0, 0);
	/* functions of local classes may be inside of other functions */
	walk.is_thorough = true;
	if (!is_whole(inlines, unit))
		walk_children(&walk, top, 0, 0);
}

void mp_inlines_find(struct mp_inlines *inlines, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	size_t i;

	for (i = 0; i < inlines->nr; i++)
		inlines->codes[i] = (struct mp_code){
			.inner = MP_FRAME_NONE, .file = MP_NAMES_NONE,
		};
	/* dwarf_get_units() does not open .dwo files, see split-unit.h */
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			walk_unit(inlines, &unit);
}
