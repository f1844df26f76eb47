// SPDX-License-Identifier: GPL-2.0-only
/*
 * instructions-x86: instructions of x86-64
 *
 * The kernel emulates the instructions listed in arch/x86/kernel/uprobes.c:
 * jumps and calls relative to the instruction pointer, the one-byte nop, and
 * push of a register.
 */
#include "instructions.h"

#include <elf.h>
#include <linux/memprof.h>
#include <stdio.h>
#include <string.h>

/* Argument registers in their order, as bits of a mask. */
enum {
	ARG_DI	= 1 << 0,
	ARG_SI	= 1 << 1,
	ARG_DX	= 1 << 2,
	ARG_CX	= 1 << 3,
	STACK	= 1 << 4,
};

static const unsigned int needs[] = {
	[MEMPROF_FUNC_MALLOC] = ARG_DI,
	[MEMPROF_FUNC_CALLOC] = ARG_DI | ARG_SI,
	[MEMPROF_FUNC_REALLOC] = ARG_DI | ARG_SI,
	[MEMPROF_FUNC_REALLOCARRAY] = ARG_DI | ARG_SI | ARG_DX,
	[MEMPROF_FUNC_MEMALIGN] = ARG_DI | ARG_SI,
	[MEMPROF_FUNC_POSIX_MEMALIGN] = ARG_DI | ARG_SI | ARG_DX,
	[MEMPROF_FUNC_FREE] = ARG_DI,
	[MEMPROF_FUNC_RUST_REALLOC] = ARG_DI | ARG_SI | ARG_DX | ARG_CX,
};

static const struct {
	x86_reg reg;
	unsigned int bit;
} registers[] = {
	{ X86_REG_RDI, ARG_DI }, { X86_REG_EDI, ARG_DI },
	{ X86_REG_DI, ARG_DI }, { X86_REG_DIL, ARG_DI },
	{ X86_REG_RSI, ARG_SI }, { X86_REG_ESI, ARG_SI },
	{ X86_REG_SI, ARG_SI }, { X86_REG_SIL, ARG_SI },
	{ X86_REG_RDX, ARG_DX }, { X86_REG_EDX, ARG_DX },
	{ X86_REG_DX, ARG_DX }, { X86_REG_DL, ARG_DX },
	{ X86_REG_DH, ARG_DX },
	{ X86_REG_RCX, ARG_CX }, { X86_REG_ECX, ARG_CX },
	{ X86_REG_CX, ARG_CX }, { X86_REG_CL, ARG_CX },
	{ X86_REG_CH, ARG_CX },
	{ X86_REG_RSP, STACK }, { X86_REG_ESP, STACK },
	{ X86_REG_SP, STACK }, { X86_REG_SPL, STACK },
};

/*
 * Instructions that may be skipped before the probe, if they write neither
 * memory nor a needed register.
 */
static const x86_insn harmless[] = {
	X86_INS_ENDBR64, X86_INS_NOP, X86_INS_TEST, X86_INS_CMP, X86_INS_MOV,
	X86_INS_MOVABS, X86_INS_MOVZX, X86_INS_MOVSX, X86_INS_MOVSXD,
	X86_INS_LEA, X86_INS_XOR, X86_INS_AND, X86_INS_OR, X86_INS_SUB,
	X86_INS_ADD, X86_INS_NEG, X86_INS_NOT, X86_INS_SHL, X86_INS_SHR,
	X86_INS_SAR, X86_INS_INC, X86_INS_DEC, X86_INS_BT, X86_INS_MUL,
	X86_INS_IMUL, X86_INS_SETE, X86_INS_SETNE, X86_INS_SETO, X86_INS_SETB,
	X86_INS_SETA, X86_INS_CMOVE, X86_INS_CMOVNE, X86_INS_CMOVB,
	X86_INS_CMOVA, X86_INS_CMOVAE, X86_INS_CMOVBE,
};

static bool is_jcc(const uint8_t *code, size_t size)
{
	return (code[0] & 0xf0) == 0x70 ||
	       (size > 1 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80);
}

/* Decides by the instruction bytes, as the kernel does. */
static bool is_emulated(const cs_insn *insn)
{
	const uint8_t *code = insn->bytes;
	size_t size = insn->size;

	if (is_jcc(code, size))
		return true;
	switch (code[0]) {
	case 0x90:
	case 0xe8:
	case 0xe9:
	case 0xeb:
		return true;
	case 0x41:
		return size == 2 && code[1] >= 0x50 && code[1] <= 0x57;
	default:
		return size == 1 && code[0] >= 0x50 && code[0] <= 0x57;
	}
}

static unsigned int register_bit(uint16_t reg)
{
	size_t i;

	for (i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		if (registers[i].reg == reg)
			return registers[i].bit;
	return 0;
}

/* capstone 4 decodes endbr64 as nop in some builds, and not at all in others */
static bool is_endbr(const cs_insn *insn)
{
	return insn->size == 4 && !memcmp(insn->bytes, "\xf3\x0f\x1e\xfa", 4);
}

static bool writes_memory(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	int i;

	if (insn->id == X86_INS_TEST || insn->id == X86_INS_CMP ||
	    insn->id == X86_INS_BT || insn->id == X86_INS_NOP ||
	    insn->id == X86_INS_LEA)
		return false;
	/* in AT&T order the last operand is the destination */
	for (i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM &&
		    (x86->operands[i].access & CS_AC_WRITE ||
		     i == x86->op_count - 1))
			return true;
	return false;
}

static bool may_pass(csh handle, const cs_insn *insn, uint32_t func)
{
	cs_regs read, written;
	uint8_t nr_read, nr_written;
	bool known = false;
	size_t i;

	if (is_endbr(insn))
		return true;
	for (i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		known |= insn->id == (unsigned int)harmless[i];
	/* a lock or rep prefix changes the instruction */
	if (!known || insn->detail->x86.prefix[0] || writes_memory(insn) ||
	    cs_regs_access(handle, insn, read, &nr_read, written, &nr_written))
		return false;
	for (i = 0; i < nr_written; i++)
		if (register_bit(written[i]) & (needs[func] | STACK))
			return false;
	return true;
}

static bool is_branch(const cs_insn *insn)
{
	return insn->bytes[0] == 0xe8 || insn->bytes[0] == 0xe9 ||
	       insn->bytes[0] == 0xeb || is_jcc(insn->bytes, insn->size);
}

static bool branch_target(const cs_insn *insn, uint64_t *target)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (!is_branch(insn) || x86->op_count != 1 ||
	    x86->operands[0].type != X86_OP_IMM)
		return false;
	*target = x86->operands[0].imm;
	return true;
}

static void describe(const cs_insn *insn, char *to, size_t room)
{
	if (is_endbr(insn))
		snprintf(to, room, "endbr64");
	else if (is_branch(insn) || !insn->op_str[0])
		snprintf(to, room, "%s", insn->mnemonic);
	else
		snprintf(to, room, "%s %.20s", insn->mnemonic, insn->op_str);
}

const struct mp_instructions mp_instructions_x86 = {
	.machine = EM_X86_64,
	.arch = CS_ARCH_X86,
	.mode = CS_MODE_64,
	/* as in objdump and gdb */
	.syntax = CS_OPT_SYNTAX_ATT,
	.detail = true,
	.max_size = 15,
	.is_emulated = is_emulated,
	.may_pass = may_pass,
	.branch_target = branch_target,
	.describe = describe,
};
