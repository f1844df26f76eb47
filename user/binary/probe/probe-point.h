/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * point: the cheapest instruction of a function that can carry its probe
 */
#ifndef MP_POINT_H
#define MP_POINT_H

#include "elf-file.h"
#include "scan.h"

/**
 * struct mp_chooser - a disassembler; one serves many functions
 * @handle: of libcapstone
 */
struct mp_chooser {
	size_t handle;
};

/**
 * mp_chooser_open - get ready
 *
 * Return: whether there is memory.
 */
bool mp_chooser_open(struct mp_chooser *chooser);

/** mp_chooser_close - free all */
void mp_chooser_close(struct mp_chooser *chooser);

/**
 * mp_chooser_point - find where a function's probe goes
 * @elf: the file that defines it
 * @symbol: the function
 * @point: func is given; out: offset, distance, trap, insn
 *
 * On x86-64: the first instruction that the kernel emulates, if all arguments
 * that func needs and the return address are still in their places there, and
 * every call comes by it exactly once. Else, and on other machines, the entry.
 *
 * Return: NULL, or why the function cannot be probed, a constant text.
 */
const char *mp_chooser_point(const struct mp_chooser *chooser,
			     const struct mp_elf *elf,
			     const struct mp_symbol *symbol,
			     struct mp_point *point);

/**
 * mp_chooser_at - describe an instruction that a point is given for
 * @point: offset is given; out: trap, insn
 */
void mp_chooser_at(const struct mp_chooser *chooser, const struct mp_elf *elf,
		   struct mp_point *point);

/**
 * mp_chooser_calls - whether a function calls or jumps to another near its entry
 * @targets: addresses
 * @nr: how many
 */
bool mp_chooser_calls(const struct mp_chooser *chooser,
		      const struct mp_elf *elf, const struct mp_symbol *symbol,
		      const uint64_t *targets, size_t nr);

#endif
