// SPDX-License-Identifier: GPL-2.0-only
/*
 * split-unit: checks a .dwo file before libdw opens it
 *
 * libdw opens a .dwo file by a name in the program, in the program's folder and
 * in the folder where it was compiled. So libdw is called only if these paths
 * are regular files or do not exist. libdw does not support packages (.dwp).
 * The functions of a unit that is not found have no lines.
 */
#include "split-unit.h"
#include "regular-file.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static bool is_harmless(const char *dir, const char *name)
{
	char path[PATH_MAX];
	int err;

	if (name[0] == '/')
		dir = "";
	if (snprintf(path, sizeof(path), "%s%s%s", dir, *dir ? "/" : "",
		     name) >= (int)sizeof(path))
		return false;
	err = mp_regular_check(path);
	/* a path that cannot be opened does no harm */
	return err != -EINVAL && err != -EMEDIUMTYPE;
}

/* Resolves a relative compilation folder from the program's folder, like libdw. */
static void built_dir(char *to, const char *dir, const char *built)
{
	if (built[0] == '/')
		snprintf(to, PATH_MAX, "%s", built);
	else
		snprintf(to, PATH_MAX, "%s/%s", dir, built);
}

bool mp_split_unit_open(struct mp_split_unit *split)
{
	const char *name = text_of(split->skeleton, DW_AT_dwo_name);
	const char *built = text_of(split->skeleton, DW_AT_comp_dir);
	char dir[PATH_MAX];

	if (!name)
		name = text_of(split->skeleton, DW_AT_GNU_dwo_name);
	if (!name || !is_harmless(split->dir, name))
		return false;
	if (built) {
		built_dir(dir, split->dir, built);
		if (!is_harmless(dir, name))
			return false;
	}
	memset(&split->unit, 0, sizeof(split->unit));
	return !dwarf_cu_info(split->skeleton->cu, NULL, NULL, NULL,
			      &split->unit, NULL, NULL, NULL) &&
	       split->unit.addr;
}
