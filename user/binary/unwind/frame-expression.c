// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame-expression: checks each operation of an expression
 *
 * If libdw does not know an operation, or has done 4096 of them in a loop, it
 * gives up and does not free its stack: 256 bytes for each sample. So libdw
 * must only get operations that it knows, and no jumps. Compilers write no
 * other operations into call frame information.
 */
#include "frame-expression.h"

#include <dwarf.h>

/* How the bytes after an operation are read; 0 means that it is refused. */
enum operand {
	REFUSED,
	NONE,
	BYTES_1,
	BYTES_2,
	BYTES_4,
	BYTES_8,
	NUMBER,
	TWO_NUMBERS,
};

static const uint8_t operands[256] = {
	[DW_OP_deref] = NONE, [DW_OP_const1u] = BYTES_1, [DW_OP_const1s] = BYTES_1,
	[DW_OP_const2u] = BYTES_2, [DW_OP_const2s] = BYTES_2,
	[DW_OP_const4u] = BYTES_4, [DW_OP_const4s] = BYTES_4,
	[DW_OP_const8u] = BYTES_8, [DW_OP_const8s] = BYTES_8,
	[DW_OP_constu] = NUMBER, [DW_OP_consts] = NUMBER, [DW_OP_dup] = NONE,
	[DW_OP_drop] = NONE, [DW_OP_over] = NONE, [DW_OP_pick] = BYTES_1,
	[DW_OP_swap] = NONE, [DW_OP_rot] = NONE, [DW_OP_abs] = NONE,
	[DW_OP_and] = NONE, [DW_OP_div] = NONE, [DW_OP_minus] = NONE,
	[DW_OP_mod] = NONE, [DW_OP_mul] = NONE, [DW_OP_neg] = NONE,
	[DW_OP_not] = NONE, [DW_OP_or] = NONE, [DW_OP_plus] = NONE,
	[DW_OP_plus_uconst] = NUMBER, [DW_OP_shl] = NONE, [DW_OP_shr] = NONE,
	[DW_OP_shra] = NONE, [DW_OP_xor] = NONE, [DW_OP_eq] = NONE,
	[DW_OP_ge] = NONE, [DW_OP_gt] = NONE, [DW_OP_le] = NONE,
	[DW_OP_lt] = NONE, [DW_OP_ne] = NONE,
	[DW_OP_lit0 ... DW_OP_lit31] = NONE,
	[DW_OP_breg0 ... DW_OP_breg31] = NUMBER, [DW_OP_bregx] = TWO_NUMBERS,
	[DW_OP_deref_size] = BYTES_1, [DW_OP_nop] = NONE,
};

/* Returns the position after a LEB128 number; beyond @size if it is cut. */
static size_t skip_number(const uint8_t *data, size_t size, size_t at)
{
	while (at < size && data[at] & 0x80)
		at++;
	return at + 1;
}

bool mp_frame_expression_is_plain(const uint8_t *data, size_t size)
{
	uint8_t operand;
	size_t at = 0;

	while (at < size) {
		operand = operands[data[at++]];
		if (operand == REFUSED)
			return false;
		if (operand >= BYTES_1 && operand <= BYTES_8)
			at += 1UL << (operand - BYTES_1);
		if (operand == TWO_NUMBERS)
			at = skip_number(data, size, at);
		if (operand >= NUMBER)
			at = skip_number(data, size, at);
	}
	return at == size;
}
