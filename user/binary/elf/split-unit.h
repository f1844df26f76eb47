/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split-unit: DWARF that stayed beside the object files (-gsplit-dwarf)
 */
#ifndef MP_SPLIT_UNIT_H
#define MP_SPLIT_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/**
 * struct mp_split_unit - a unit in two files
 * @skeleton: its top in the program
 * @dir: the folder of the file that this is in
 * @unit: out: its top in the .dwo file
 */
struct mp_split_unit {
	Dwarf_Die *skeleton;
	const char *dir;
	Dwarf_Die unit;
};

/**
 * mp_split_unit_open - find the unit that a skeleton stands for
 *
 * Return: whether it is a skeleton, and its .dwo file is there.
 */
bool mp_split_unit_open(struct mp_split_unit *split);

#endif
