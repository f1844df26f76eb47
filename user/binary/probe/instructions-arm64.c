// SPDX-License-Identifier: GPL-2.0-only
/*
 * instructions-arm64: instructions of arm64
 *
 * All of them have 4 bytes, and an instruction's fields are at the same bits in most
 * of them. So they are decoded here, and libcapstone only writes their text.
 *
 * The kernel emulates the instructions listed in
 * arch/arm64/kernel/probes/decode-insn.c: branches, and the two that compute an
 * address from the program counter. (Since 6.13 it also emulates nop.) It refuses to
 * probe loads relative to the program counter and exclusive loads and stores.
 *
 * A call leaves its return address in x30, where a return probe replaces it. So no
 * instruction before the probe may read or write x30: a copy would still lead back to
 * the caller, and the return would not be seen.
 */
#include "instructions.h"

#include <elf.h>
#include <linux/memprof.h>
#include <stdio.h>
#include <string.h>

#define LINK	30
#define ZERO	31	/* in most instructions the stack pointer */

/* The number of argument registers, x0 and the following, that a function has. */
static const unsigned int nr_arguments[] = {
	[MEMPROF_FUNC_MALLOC] = 1,
	[MEMPROF_FUNC_CALLOC] = 2,
	[MEMPROF_FUNC_REALLOC] = 2,
	[MEMPROF_FUNC_REALLOCARRAY] = 3,
	[MEMPROF_FUNC_MEMALIGN] = 2,
	[MEMPROF_FUNC_POSIX_MEMALIGN] = 3,
	[MEMPROF_FUNC_FREE] = 1,
	[MEMPROF_FUNC_RUST_REALLOC] = 4,
};

/* Kinds of instructions: those whose bits of @mask are @value. */
struct kind {
	uint32_t mask, value;
};

/*
 * Branches to a constant address: the distance in instructions has @bits bits, the
 * lowest of which is bit @low.
 */
static const struct {
	struct kind kind;
	unsigned int low, bits;
} branches[] = {
	{ { 0x7c000000, 0x14000000 }, 0, 26 },	/* b, bl */
	{ { 0xff000010, 0x54000000 }, 5, 19 },	/* b.eq and the like */
	{ { 0x7e000000, 0x34000000 }, 5, 19 },	/* cbz, cbnz */
	{ { 0x7e000000, 0x36000000 }, 5, 14 },	/* tbz, tbnz */
};

static const struct kind emulated[] = {
	{ 0x1f000000, 0x10000000 },		/* adr, adrp */
	{ 0xfffffc1f, 0xd61f0000 },		/* br */
	{ 0xfffffc1f, 0xd63f0000 },		/* blr */
	{ 0xfffffc1f, 0xd65f0000 },		/* ret */
};

/* The lowest bits of the fields that may be registers; the first one is written. */
static const unsigned int fields[] = { 0, 5, 10, 16 };

/* Instructions that write no register but the one of their first field. */
static const struct kind harmless[] = {
	{ 0x1c000000, 0x10000000 },		/* arithmetic with a constant */
	{ 0x0e000000, 0x0a000000 },		/* arithmetic with registers */
	{ 0xbfc00000, 0xb9400000 },		/* ldr with an offset */
	{ 0xffc00000, 0x39400000 },		/* ldrb with an offset */
	{ 0xfff00000, 0xd5300000 },		/* mrs */
};

/* Those that set flags have no result if their first field is ZERO. */
static const struct kind compares[] = {
	{ 0x7f000000, 0x71000000 },		/* cmp with a constant */
	{ 0x7f000000, 0x6b000000 },		/* cmp */
	{ 0x7f800000, 0x72000000 },		/* tst with a constant */
	{ 0x7f000000, 0x6a000000 },		/* tst */
};

static bool is_kind(uint32_t word, const struct kind *kinds, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if ((word & kinds[i].mask) == kinds[i].value)
			return true;
	return false;
}

#define IS_KIND(word, kinds) \
	is_kind(word, kinds, sizeof(kinds) / sizeof((kinds)[0]))

static uint32_t word_of(const cs_insn *insn)
{
	uint32_t word;

	memcpy(&word, insn->bytes, sizeof(word));
	return word;
}

static bool branch_target(const cs_insn *insn, uint64_t *target)
{
	uint32_t word = word_of(insn);
	int64_t distance;
	size_t i;

	for (i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		if (!is_kind(word, &branches[i].kind, 1))
			continue;
		/* move the sign to bit 63 and back */
		distance = (int64_t)((uint64_t)word <<
				     (64 - branches[i].low - branches[i].bits));
		*target = insn->address +
			  4 * (uint64_t)(distance >> (64 - branches[i].bits));
		return true;
	}
	return false;
}

static bool is_emulated(const cs_insn *insn)
{
	uint64_t target;

	return IS_KIND(word_of(insn), emulated) || branch_target(insn, &target);
}

/* nop, and bti, at which an indirect branch may arrive */
static bool is_marker(uint32_t word)
{
	return word == 0xd503201f || (word & 0xffffff3f) == 0xd503241f;
}

static bool may_pass(csh handle, const cs_insn *insn, uint32_t func)
{
	uint32_t word = word_of(insn), written = word & 31;
	size_t i;

	(void)handle;
	if (is_marker(word))
		return true;
	if (!IS_KIND(word, harmless))
		return false;
	/*
	 * a field of a register may be a part of a constant instead, so some harmless
	 * instructions are refused
	 */
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if ((word >> fields[i] & 31) == LINK)
			return false;
	return written >= nr_arguments[func] &&
	       (written != ZERO || IS_KIND(word, compares));
}

static void describe(const cs_insn *insn, char *to, size_t room)
{
	uint64_t target;

	if (branch_target(insn, &target) || !insn->op_str[0])
		snprintf(to, room, "%s", insn->mnemonic);
	else
		snprintf(to, room, "%s %.24s", insn->mnemonic, insn->op_str);
}

const struct mp_instructions mp_instructions_arm64 = {
	.machine = EM_AARCH64,
	.arch = CS_ARCH_ARM64,
	.mode = CS_MODE_LITTLE_ENDIAN,
	.syntax = CS_OPT_SYNTAX_DEFAULT,
	.max_size = 4,
	.is_emulated = is_emulated,
	.may_pass = may_pass,
	.branch_target = branch_target,
	.describe = describe,
};
