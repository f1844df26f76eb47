/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe-point: finds the instruction of a function where a probe is cheapest
 */
#ifndef MP_POINT_H
#define MP_POINT_H

#include "elf-file.h"
#include "scan.h"

struct mp_instructions;

/**
 * struct mp_chooser - a disassembler for any number of functions
 * @handle: of libcapstone
 * @set: the instructions of the machine; NULL: they are not known
 */
struct mp_chooser {
	size_t handle;
	const struct mp_instructions *set;
};

/**
 * mp_chooser_open - initialise
 * @machine: EM_* of the ELF files
 *
 * Return: false without memory.
 */
bool mp_chooser_open(struct mp_chooser *chooser, uint16_t machine);

/** mp_chooser_close - free all */
void mp_chooser_close(struct mp_chooser *chooser);

/**
 * mp_chooser_point - find the instruction for a function's probe
 * @elf: the file that defines it
 * @symbol: the function
 * @point: func is set; out: offset, distance, trap, insn
 *
 * On x86-64 and arm64 the probe is set at the first instruction that the kernel
 * emulates and that meets two conditions: all arguments of func and the return
 * address are still unchanged there, and each call executes the instruction exactly
 * once. If there is no such instruction, and on other machines, the probe is
 * set at the function's entry.
 *
 * Return: NULL, or why the function cannot be probed, a constant text.
 */
const char *mp_chooser_point(const struct mp_chooser *chooser,
			     const struct mp_elf *elf,
			     const struct mp_symbol *symbol,
			     struct mp_point *point);

/**
 * mp_chooser_code - find the instruction in a function's code
 * @code: begins with the function
 * @size: bytes
 * @entry: address of @code
 * @point: func is set; out: distance, trap, insn; the distance is added to offset
 *
 * Like mp_chooser_point(); the machine has to be known.
 *
 * Return: false if the code cannot be read.
 */
bool mp_chooser_code(const struct mp_chooser *chooser, const uint8_t *code,
		     size_t size, uint64_t entry, struct mp_point *point);

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
