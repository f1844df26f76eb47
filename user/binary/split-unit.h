/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split-unit: DWARF that stayed beside the object files (-gsplit-dwarf)
 */
#ifndef MP_SPLIT_UNIT_H
#define MP_SPLIT_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/**
 * mp_split_unit - the unit that a skeleton stands for
 * @skeleton: a unit's top
 * @dir: the folder of the file that it is in
 * @unit: out: the top of the unit in the .dwo file
 *
 * Return: whether @skeleton is one, and its .dwo file is there.
 */
bool mp_split_unit(Dwarf_Die *skeleton, const char *dir, Dwarf_Die *unit);

#endif
