// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe-point: decodes the first instructions of a function
 *
 * At most 256 bytes of a function are decoded, which takes microseconds. The
 * search ends at an instruction that is not known to be harmless. Then the
 * probe is set at the entry, which costs more at run time, but is correct.
 *
 * The kernel emulates the instructions listed in arch/x86/kernel/uprobes.c:
 * jumps and calls relative to the instruction pointer, the one-byte nop, and
 * push of a register.
 */
#include "probe-point.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <string.h>

/*
 * Limits of the search. The longest prologue that was found is that of
 * jemalloc's free.
 */
#define MAX_DISTANCE	48
#define MAX_INSNS	10
/* Bytes that are searched for jumps back into the prologue: loops are short. */
#define WINDOW		256

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

bool mp_chooser_open(struct mp_chooser *chooser)
{
	csh handle;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		return false;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	/* AT&T syntax, as in objdump and gdb */
	cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	chooser->handle = handle;
	return true;
}

void mp_chooser_close(struct mp_chooser *chooser)
{
	csh handle = chooser->handle;

	cs_close(&handle);
	chooser->handle = 0;
}

static bool is_jcc(const uint8_t *code, size_t size)
{
	return (code[0] & 0xf0) == 0x70 ||
	       (size > 1 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80);
}

/* Decides by the instruction bytes, as the kernel does. */
static bool is_emulated(const uint8_t *code, size_t size)
{
	if (!size)
		return false;
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

static bool may_pass(csh handle, const cs_insn *insn, unsigned int needed)
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
		if (register_bit(written[i]) & (needed | STACK))
			return false;
	return true;
}

static void describe_insn(struct mp_point *point, const cs_insn *insn)
{
	/* the operand of a branch is an address: leave it out */
	bool branch = insn->bytes[0] == 0xe8 || insn->bytes[0] == 0xe9 ||
		      insn->bytes[0] == 0xeb ||
		      is_jcc(insn->bytes, insn->size);

	snprintf(point->insn, sizeof(point->insn), "%s%s%.20s",
		 is_endbr(insn) ? "endbr64" : insn->mnemonic,
		 branch || is_endbr(insn) || !insn->op_str[0] ? "" : " ",
		 branch || is_endbr(insn) ? "" : insn->op_str);
	point->trap = is_emulated(insn->bytes, insn->size) ?
		      MP_TRAP_EMULATED : MP_TRAP_STEPPED;
}

/* Returns the index of the instruction to probe, or @nr. */
static size_t find_emulated(csh handle, const cs_insn *insns, size_t nr, uint64_t entry,
			    unsigned int needed)
{
	size_t i;

	for (i = 0; i < nr && i < MAX_INSNS; i++) {
		if (insns[i].address - entry > MAX_DISTANCE)
			break;
		if (is_emulated(insns[i].bytes, insns[i].size))
			return i;
		if (!may_pass(handle, &insns[i], needed))
			break;
	}
	return nr;
}

static bool branch_target(const cs_insn *insn, uint64_t *target)
{
	const cs_x86 *x86 = &insn->detail->x86;
	bool jump = insn->bytes[0] == 0xe9 || insn->bytes[0] == 0xeb ||
		    insn->bytes[0] == 0xe8 || is_jcc(insn->bytes, insn->size);

	if (!jump || x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM)
		return false;
	*target = x86->operands[0].imm;
	return true;
}

/* Returns true if a loop could execute @point more than once per call. */
static bool is_looped(const cs_insn *insns, size_t nr, uint64_t entry,
		      uint64_t point)
{
	uint64_t target;
	size_t i;

	for (i = 0; i < nr; i++)
		if (branch_target(&insns[i], &target) && target > entry &&
		    target <= point)
			return true;
	return false;
}

static size_t read_function(const struct mp_chooser *chooser,
			    const struct mp_elf *elf,
			    const struct mp_symbol *symbol, cs_insn **insns)
{
	uint8_t code[WINDOW];
	size_t size = sizeof(code);

	*insns = NULL;
	if (symbol->size && symbol->size < size)
		size = symbol->size;
	size = mp_elf_code(elf, symbol->address, code, size);
	return size ? cs_disasm(chooser->handle, code, size, symbol->address,
				0, insns) : 0;
}

static void set_point(const struct mp_chooser *chooser, const cs_insn *insns,
		      size_t nr, uint64_t entry, struct mp_point *point)
{
	size_t at = find_emulated(chooser->handle, insns, nr, entry, needs[point->func]);

	if (at == nr || is_looped(insns, nr, entry, insns[at].address))
		at = 0;
	point->distance = insns[at].address - entry;
	point->offset += point->distance;
	describe_insn(point, &insns[at]);
}

const char *mp_chooser_point(const struct mp_chooser *chooser,
			     const struct mp_elf *elf,
			     const struct mp_symbol *symbol,
			     struct mp_point *point)
{
	cs_insn *insns;
	size_t nr;

	point->offset = mp_elf_offset(elf, symbol->address, true);
	point->distance = 0;
	point->trap = MP_TRAP_UNKNOWN;
	point->insn[0] = '\0';
	if (!point->offset)
		return "it is not in the file's code";
	if (!elf->is_x86_64)
		return NULL;
	nr = read_function(chooser, elf, symbol, &insns);
	if (!nr)
		return "its code cannot be read";
	set_point(chooser, insns, nr, symbol->address, point);
	cs_free(insns, nr);
	return NULL;
}

void mp_chooser_at(const struct mp_chooser *chooser, const struct mp_elf *elf,
		   struct mp_point *point)
{
	struct mp_symbol symbol = {
		.address = mp_elf_address(elf, point->offset),
		.size = 15,	/* length of the longest x86 instruction */
	};
	cs_insn *insns;
	size_t nr;

	point->trap = MP_TRAP_UNKNOWN;
	if (!elf->is_x86_64)
		return;
	nr = read_function(chooser, elf, &symbol, &insns);
	if (!nr)
		return;
	describe_insn(point, &insns[0]);
	cs_free(insns, nr);
}

bool mp_chooser_calls(const struct mp_chooser *chooser,
		      const struct mp_elf *elf, const struct mp_symbol *symbol,
		      const uint64_t *targets, size_t nr_targets)
{
	bool found = false;
	uint64_t target;
	cs_insn *insns;
	size_t i, j, nr;

	if (!elf->is_x86_64)
		return false;
	nr = read_function(chooser, elf, symbol, &insns);
	for (i = 0; i < nr; i++)
		for (j = 0; branch_target(&insns[i], &target) &&
		     j < nr_targets; j++)
			found |= target == targets[j];
	cs_free(insns, nr);
	return found;
}
