/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * instructions: what the choice of a probe point has to know about a machine's code
 */
#ifndef MP_INSTRUCTIONS_H
#define MP_INSTRUCTIONS_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct mp_instructions - the instructions of a machine
 * @machine: EM_* of ELF
 * @arch: libcapstone's name of it
 * @mode: of libcapstone
 * @syntax: of the text, for libcapstone
 * @detail: whether libcapstone has to decode operands
 * @max_size: bytes of the longest instruction
 * @is_emulated: does the kernel emulate a probed instruction?
 * @may_pass: may the instruction be executed before the probe? It must keep the
 *	arguments of a function (enum memprof_func) and the return address, write no
 *	memory, and go on to the next instruction
 * @branch_target: a jump or a call to a constant address; out: this address
 * @describe: writes the instruction without the address that it leads to
 */
struct mp_instructions {
	uint16_t machine;
	cs_arch arch;
	cs_mode mode;
	size_t syntax;
	bool detail;
	size_t max_size;
	bool (*is_emulated)(const cs_insn *insn);
	bool (*may_pass)(csh handle, const cs_insn *insn, uint32_t func);
	bool (*branch_target)(const cs_insn *insn, uint64_t *target);
	void (*describe)(const cs_insn *insn, char *to, size_t room);
};

extern const struct mp_instructions mp_instructions_x86;
extern const struct mp_instructions mp_instructions_arm64;

#endif
