// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe-point: decodes the first instructions of a function
 *
 * At most 256 bytes of a function are decoded, which takes microseconds. The
 * search ends at an instruction that is not known to be harmless. Then the
 * probe is set at the entry, which costs more at run time, but is correct.
 */
#include "probe-point.h"
#include "instructions.h"

/*
 * Limits of the search. The longest prologue that was found is that of
 * jemalloc's free with control-flow protection: ten instructions in 52 bytes.
 */
#define MAX_DISTANCE	64
#define MAX_INSNS	12
/* Bytes that are searched for jumps back into the prologue: loops are short. */
#define WINDOW		256

static const struct mp_instructions *instructions_of(uint16_t machine)
{
	static const struct mp_instructions * const all[] = {
		&mp_instructions_x86, &mp_instructions_arm64,
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i]->machine == machine)
			return all[i];
	return NULL;
}

bool mp_chooser_open(struct mp_chooser *chooser, uint16_t machine)
{
	const struct mp_instructions *set = instructions_of(machine);
	csh handle;

	*chooser = (struct mp_chooser){ .set = set };
	if (!set)
		return true;
	if (cs_open(set->arch, set->mode, &handle) != CS_ERR_OK)
		return false;
	if (set->detail)
		cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(handle, CS_OPT_SYNTAX, set->syntax);
	chooser->handle = handle;
	return true;
}

void mp_chooser_close(struct mp_chooser *chooser)
{
	csh handle = chooser->handle;

	if (handle)
		cs_close(&handle);
	chooser->handle = 0;
}

static void describe_insn(const struct mp_instructions *set, const cs_insn *insn,
			  struct mp_point *point)
{
	set->describe(insn, point->insn, sizeof(point->insn));
	point->trap = set->is_emulated(insn) ? MP_TRAP_EMULATED : MP_TRAP_STEPPED;
}

/* Returns the index of the instruction to probe, or @nr. */
static size_t find_emulated(const struct mp_chooser *chooser, const cs_insn *insns,
			    size_t nr, uint64_t entry, uint32_t func)
{
	size_t i;

	for (i = 0; i < nr && i < MAX_INSNS; i++) {
		if (insns[i].address - entry > MAX_DISTANCE)
			break;
		if (chooser->set->is_emulated(&insns[i]))
			return i;
		if (!chooser->set->may_pass(chooser->handle, &insns[i], func))
			break;
	}
	return nr;
}

/* Returns true if a loop could execute @point more than once per call. */
static bool is_looped(const struct mp_instructions *set, const cs_insn *insns,
		      size_t nr, uint64_t entry, uint64_t point)
{
	uint64_t target;
	size_t i;

	for (i = 0; i < nr; i++)
		if (set->branch_target(&insns[i], &target) && target > entry &&
		    target <= point)
			return true;
	return false;
}

/* Reads the beginning of a function. Returns the number of bytes. */
static size_t read_code(const struct mp_elf *elf, const struct mp_symbol *symbol,
			uint8_t code[WINDOW])
{
	size_t size = WINDOW;

	if (symbol->size && symbol->size < size)
		size = symbol->size;
	return mp_elf_code(elf, symbol->address, code, size);
}

static size_t disassemble(const struct mp_chooser *chooser, const struct mp_elf *elf,
			  const struct mp_symbol *symbol, cs_insn **insns)
{
	uint8_t code[WINDOW];
	size_t size = read_code(elf, symbol, code);

	*insns = NULL;
	return size ? cs_disasm(chooser->handle, code, size, symbol->address,
				0, insns) : 0;
}

bool mp_chooser_code(const struct mp_chooser *chooser, const uint8_t *code,
		     size_t size, uint64_t entry, struct mp_point *point)
{
	cs_insn *insns;
	size_t at, nr;

	nr = cs_disasm(chooser->handle, code, size, entry, 0, &insns);
	if (!nr)
		return false;
	at = find_emulated(chooser, insns, nr, entry, point->func);
	if (at == nr || is_looped(chooser->set, insns, nr, entry, insns[at].address))
		at = 0;
	point->distance = insns[at].address - entry;
	point->offset += point->distance;
	describe_insn(chooser->set, &insns[at], point);
	cs_free(insns, nr);
	return true;
}

const char *mp_chooser_point(const struct mp_chooser *chooser,
			     const struct mp_elf *elf,
			     const struct mp_symbol *symbol,
			     struct mp_point *point)
{
	uint8_t code[WINDOW];
	size_t size;

	point->offset = mp_elf_offset(elf, symbol->address, true);
	point->distance = 0;
	point->trap = MP_TRAP_UNKNOWN;
	point->insn[0] = '\0';
	if (!point->offset)
		return "it is not in the file's code";
	if (!chooser->set)
		return NULL;
	size = read_code(elf, symbol, code);
	if (!size || !mp_chooser_code(chooser, code, size, symbol->address, point))
		return "its code cannot be read";
	return NULL;
}

void mp_chooser_at(const struct mp_chooser *chooser, const struct mp_elf *elf,
		   struct mp_point *point)
{
	struct mp_symbol symbol = {
		.address = mp_elf_address(elf, point->offset),
	};
	cs_insn *insns;
	size_t nr;

	point->trap = MP_TRAP_UNKNOWN;
	if (!chooser->set)
		return;
	symbol.size = chooser->set->max_size;
	nr = disassemble(chooser, elf, &symbol, &insns);
	if (!nr)
		return;
	describe_insn(chooser->set, &insns[0], point);
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

	if (!chooser->set)
		return false;
	nr = disassemble(chooser, elf, symbol, &insns);
	for (i = 0; i < nr; i++)
		for (j = 0; j < nr_targets &&
		     chooser->set->branch_target(&insns[i], &target); j++)
			found |= target == targets[j];
	cs_free(insns, nr);
	return found;
}
