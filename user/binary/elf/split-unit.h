/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split-unit: opens DWARF units that are in separate files (-gsplit-dwarf)
 */
#ifndef MP_SPLIT_UNIT_H
#define MP_SPLIT_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/**
 * struct mp_split_unit - a unit in two files
 * @skeleton: the unit's top entry in the program
 * @dir: folder of the program
 * @unit: out: the unit's top entry in the .dwo file
 */
struct mp_split_unit {
	Dwarf_Die *skeleton;
	const char *dir;
	Dwarf_Die unit;
};

/**
 * mp_split_unit_open - find the .dwo unit of a skeleton
 *
 * Return: false if @skeleton is not a skeleton, or its .dwo file cannot be
 * opened.
 */
bool mp_split_unit_open(struct mp_split_unit *split);

#endif
