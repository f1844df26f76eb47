/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe-point: finds the instruction of a function where a probe is cheapest
 */
#ifndef MP_POINT_H
#define MP_POINT_H

#include "elf-file.h"
#include "scan.h"

/**
 * struct mp_chooser - a disassembler for any number of functions
 * @handle: of libcapstone
 */
struct mp_chooser {
	size_t handle;
};

/**
 * mp_chooser_open - initialise
 *
 * Return: false without memory.
 */
bool mp_chooser_open(struct mp_chooser *chooser);

/** mp_chooser_close - free all */
void mp_chooser_close(struct mp_chooser *chooser);

/**
 * mp_chooser_point - find the instruction for a function's probe
 * @elf: the file that defines it
 * @symbol: the function
 * @point: func is set; out: offset, distance, trap, insn
 *
 * On x86-64 it is the first instruction that the kernel emulates. There, all
 * arguments of func and the return address must still be unchanged, and each
 * call must execute it exactly once. If there is none, and on other machines,
 * it is the entry.
 *
 * Return: NULL, or why the function cannot be probed, a constant text.
 */
const char *mp_chooser_point(const struct mp_chooser *chooser,
			     const struct mp_elf *elf,
			     const struct mp_symbol *symbol,
			     struct mp_point *point);

/**
 * mp_chooser_at - describe the instruction at a given offset
 * @point: offset is set; out: trap, insn
 */
void mp_chooser_at(const struct mp_chooser *chooser, const struct mp_elf *elf,
		   struct mp_point *point);

/**
 * mp_chooser_calls - check whether a function calls or jumps to another one near its
 * entry
 * @targets: addresses of the other functions
 * @nr: number of @targets
 */
bool mp_chooser_calls(const struct mp_chooser *chooser,
		      const struct mp_elf *elf, const struct mp_symbol *symbol,
		      const uint64_t *targets, size_t nr);

#endif
