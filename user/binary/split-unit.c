// SPDX-License-Identifier: GPL-2.0-only
/*
 * split-unit: look first at what libdw would open
 *
 * libdw opens a .dwo file wherever its skeleton says, beside the program and in
 * the folder of the compilation: only if what is there are regular files, or
 * nothing. Packages of them (.dwp) it does not know.
 */
#include "split-unit.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static bool is_harmless(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	if (name[0] == '/')
		dir = "";
	if (snprintf(path, sizeof(path), "%s%s%s", dir, *dir ? "/" : "",
		     name) >= (int)sizeof(path))
		return false;
	return stat(path, &st) || S_ISREG(st.st_mode);
}

bool mp_split_unit(Dwarf_Die *skeleton, const char *dir, Dwarf_Die *unit)
{
	const char *name = text_of(skeleton, DW_AT_dwo_name);
	const char *built = text_of(skeleton, DW_AT_comp_dir);
	char beside[PATH_MAX];

	if (!name)
		name = text_of(skeleton, DW_AT_GNU_dwo_name);
	if (!name || !is_harmless(dir, name))
		return false;
	if (built) {
		/* libdw takes a relative one for one beside the program */
		snprintf(beside, sizeof(beside), "%s%s%s",
			 built[0] == '/' ? "" : dir,
			 built[0] == '/' ? "" : "/", built);
		if (!is_harmless(beside, name))
			return false;
	}
	memset(unit, 0, sizeof(*unit));
	return !dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, unit, NULL, NULL,
			      NULL) && unit->addr;
}
