// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame-check: checks each entry and each instruction of call frame information
 *
 * libdw trusts the sizes in call frame information too much: one instruction
 * with a register number of 2^27 makes it allocate 2 GB, and a one-byte
 * instruction makes it copy them. libdw also reads an entry at any place that a
 * table or another entry refers to. So libdw only gets data with small numbers,
 * in which each reference leads to an entry that was checked. Forms that no
 * compiler writes are refused. The check allocates 4 bytes for each function.
 */
#include "frame-check.h"
#include "array.h"
#include "frame-expression.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define TOO_MUCH	"its call frame information is more than compilers write"
#define CORRUPT		"its call frame information is corrupt"

struct reader {
	const uint8_t *at, *end;
	bool failed;
};

/* A CIE: the data that several FDEs have in common. */
struct cie {
	size_t start;
	uint8_t encoding;		/* how addresses are encoded */
	bool has_size;			/* augmentation data has a size */
};

struct check {
	struct mp_frame_section *section;
	struct cie *cies;
	size_t nr_cies, max_cies;
	size_t max_starts;
	size_t expressions;		/* bytes of all expressions so far */
	const char *why;
};

static const uint8_t *skip(struct reader *reader, uint64_t size)
{
	const uint8_t *at = reader->at;

	if (reader->failed || size > (uint64_t)(reader->end - at)) {
		reader->failed = true;
		return NULL;
	}
	reader->at += size;
	return at;
}

static uint8_t read_byte(struct reader *reader)
{
	const uint8_t *at = skip(reader, 1);

	return at ? *at : 0;
}

static uint32_t read_word(struct reader *reader)
{
	const uint8_t *at = skip(reader, sizeof(uint32_t));
	uint32_t word = 0;

	if (at)
		memcpy(&word, at, sizeof(word));
	return word;
}

/* Reads an unsigned LEB128 number; for a signed one the value is not used. */
static uint64_t read_leb(struct reader *reader)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = read_byte(reader);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 140);
	if (byte & 0x80)
		reader->failed = true;
	return value;
}

static void skip_address(struct reader *reader, uint8_t encoding)
{
	if (encoding == DW_EH_PE_omit)
		return;
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		skip(reader, 8);
		break;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		skip(reader, 4);
		break;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		skip(reader, 2);
		break;
	default:
		reader->failed = true;
	}
	/* DW_EH_PE_aligned is not supported */
	if ((encoding & 0x70) == 0x50)
		reader->failed = true;
}

static void check_register(struct check *check, struct reader *reader)
{
	if (read_leb(reader) >= MP_FRAME_REGISTERS)
		check->why = TOO_MUCH;
}

static void check_expression(struct check *check, struct reader *reader)
{
	uint64_t size = read_leb(reader);
	const uint8_t *data;

	if (size > MP_FRAME_EXPRESSION) {
		check->why = TOO_MUCH;
		return;
	}
	data = skip(reader, size);
	if (!data)
		return;
	check->expressions += size;
	if (!mp_frame_expression_is_plain(data, size))
		check->why = TOO_MUCH;
	if (check->expressions > MP_FRAME_EXPRESSIONS)
		check->why = TOO_MUCH;
}

/*
 * Operands of each instruction, one character each: r is a register, n a
 * number, e an expression, a an address. A digit is a number of bytes.
 */
static const char *const operands[0x40] = {
	[DW_CFA_nop] = "", [DW_CFA_set_loc] = "a", [DW_CFA_advance_loc1] = "1",
	[DW_CFA_advance_loc2] = "2", [DW_CFA_advance_loc4] = "4",
	[DW_CFA_offset_extended] = "rn", [DW_CFA_restore_extended] = "r",
	[DW_CFA_undefined] = "r", [DW_CFA_same_value] = "r",
	[DW_CFA_register] = "rr", [DW_CFA_remember_state] = "",
	[DW_CFA_restore_state] = "", [DW_CFA_def_cfa] = "rn",
	[DW_CFA_def_cfa_register] = "r", [DW_CFA_def_cfa_offset] = "n",
	[DW_CFA_def_cfa_expression] = "e", [DW_CFA_expression] = "re",
	[DW_CFA_offset_extended_sf] = "rn", [DW_CFA_def_cfa_sf] = "rn",
	[DW_CFA_def_cfa_offset_sf] = "n", [DW_CFA_val_offset] = "rn",
	[DW_CFA_val_offset_sf] = "rn", [DW_CFA_val_expression] = "re",
	[DW_CFA_MIPS_advance_loc8] = "8", [DW_CFA_GNU_window_save] = "",
	[DW_CFA_GNU_args_size] = "n",
	[DW_CFA_GNU_negative_offset_extended] = "rn",
};

static void check_operands(struct check *check, struct reader *reader,
			   const char *operand, uint8_t encoding)
{
	for (; *operand; operand++)
		switch (*operand) {
		case 'r':
			check_register(check, reader);
			break;
		case 'n':
			read_leb(reader);
			break;
		case 'e':
			check_expression(check, reader);
			break;
		case 'a':
			skip_address(reader, encoding);
			break;
		default:
			skip(reader, *operand - '0');
		}
}

static void check_instructions(struct check *check, struct reader *reader,
			       uint8_t encoding)
{
	int saved = 0;
	uint8_t byte;

	while (!check->why && !reader->failed && reader->at < reader->end) {
		byte = read_byte(reader);
		if (byte >> 6 == DW_CFA_offset >> 6)
			read_leb(reader);
		if (byte >> 6)
			continue;
		if (!operands[byte]) {
			check->why = TOO_MUCH;
			return;
		}
		if (byte == DW_CFA_remember_state && ++saved > MP_FRAME_SAVED)
			check->why = TOO_MUCH;
		if (byte == DW_CFA_restore_state && --saved < 0)
			reader->failed = true;
		check_operands(check, reader, operands[byte], encoding);
	}
}

/* Reads the data of an augmentation that begins with 'z'. */
static void read_augmentation(struct reader *reader, const char *letters,
			      struct cie *cie)
{
	uint64_t size = read_leb(reader);
	const uint8_t *data = skip(reader, size);
	struct reader inner = { data, data + size, !data };

	cie->has_size = true;
	for (; *letters && !inner.failed; letters++)
		switch (*letters) {
		case 'R':
			cie->encoding = read_byte(&inner);
			break;
		case 'L':
			read_byte(&inner);
			break;
		case 'P':
			skip_address(&inner, read_byte(&inner));
			break;
		case 'S':
		case 'B':
			break;
		default:
			inner.failed = true;
		}
	reader->failed |= inner.failed;
}

static void check_cie(struct check *check, struct reader *reader, size_t start)
{
	struct cie cie = { .start = start };
	uint8_t version = read_byte(reader);
	const char *letters = (const char *)reader->at;
	const uint8_t *nul = memchr(letters, '\0', reader->end - reader->at);

	if (!nul || (version != 1 && version != 3 && version != 4) ||
	    (*letters && *letters != 'z')) {
		check->why = CORRUPT;
		return;
	}
	reader->at = nul + 1;
	if (version == 4 && (read_byte(reader) != 8 || read_byte(reader)))
		reader->failed = true;
	read_leb(reader);
	read_leb(reader);
	if (version == 1)
		read_byte(reader);
	else
		check_register(check, reader);
	if (*letters)
		read_augmentation(reader, letters + 1, &cie);
	check_instructions(check, reader, cie.encoding);
	if (check->nr_cies == check->max_cies &&
	    !mp_array_grow(&check->cies, &check->max_cies, sizeof(*check->cies)))
		check->why = "out of memory";
	else
		check->cies[check->nr_cies++] = cie;
}

/* Finds a function's CIE, which must be before it. */
static const struct cie *find_cie(const struct check *check, size_t start)
{
	size_t above = mp_array_above(check->cies, check->nr_cies, start, start);

	return above && check->cies[above - 1].start == start ?
	       &check->cies[above - 1] : NULL;
}

static void check_fde(struct check *check, struct reader *reader, size_t start,
		      uint64_t cie_start)
{
	struct mp_frame_section *section = check->section;
	const struct cie *cie = find_cie(check, cie_start);

	if (!cie) {
		check->why = CORRUPT;
		return;
	}
	skip_address(reader, cie->encoding);
	skip_address(reader, cie->encoding & 0x0f);
	if (cie->has_size)
		skip(reader, read_leb(reader));
	check_instructions(check, reader, cie->encoding);
	if (section->nr_starts == MP_FRAME_FUNCTIONS)
		check->why = TOO_MUCH;
	else if (section->nr_starts == check->max_starts &&
		 !mp_array_grow(&section->starts, &check->max_starts,
				sizeof(*section->starts)))
		check->why = "out of memory";
	else
		section->starts[section->nr_starts++] = (uint32_t)start;
}

/* Checks the next entry. Returns false at the end of the section or after an error. */
static bool check_entry(struct check *check, struct reader *all)
{
	struct mp_frame_section *section = check->section;
	size_t start = all->at - section->data;
	uint32_t size = read_word(all), id;
	struct reader reader = { all->at, all->at, false };
	size_t id_at = all->at - section->data;

	if (all->failed)
		return false;
	/* a terminator; linkers may leave one between entries */
	if (!size)
		return true;
	/*
	 * the mark for 64-bit sizes, UINT32_MAX, also fails here: compilers do
	 * not use them
	 */
	if (!skip(all, size)) {
		check->why = CORRUPT;
		return false;
	}
	reader.end = all->at;
	id = read_word(&reader);
	if (id == (section->is_debug ? UINT32_MAX : 0))
		check_cie(check, &reader, start);
	else
		check_fde(check, &reader, start,
			  section->is_debug ? id : id_at - (uint64_t)id);
	if (reader.failed && !check->why)
		check->why = CORRUPT;
	section->used = all->at - section->data;
	return !check->why;
}

const char *mp_frame_check(struct mp_frame_section *section)
{
	struct check check = { .section = section };
	struct reader all = {
		section->data, section->data + section->size, false,
	};

	section->used = 0;
	section->starts = NULL;
	section->nr_starts = 0;
	if (section->size > UINT32_MAX)
		return TOO_MUCH;
	while (all.at < all.end && check_entry(&check, &all))
		;
	free(check.cies);
	return check.why;
}

static int compare_start(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/*
 * Accepts version 1 with an address of 4 bytes, a count of 4 bytes, and entries
 * of 2 x 4 bytes.
 */
bool mp_frame_check_table(const uint8_t *data, size_t size, uint64_t address,
			  const struct mp_frame_section *section)
{
	static const uint8_t begin[] = {
		1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
		DW_EH_PE_datarel | DW_EH_PE_sdata4,
	};
	uint32_t nr, i, start;
	int32_t distance;

	if (size < 12 || memcmp(data, begin, sizeof(begin)))
		return false;
	memcpy(&nr, data + 8, sizeof(nr));
	if (nr > (size - 12) / 8 || (nr && !section->nr_starts))
		return false;
	for (i = 0; i < nr; i++) {
		memcpy(&distance, data + 12 + 8 * (size_t)i + 4,
		       sizeof(distance));
		start = (uint32_t)(address + distance - section->address);
		if (address + distance - section->address != start ||
		    !bsearch(&start, section->starts, section->nr_starts,
			     sizeof(start), compare_start))
			return false;
	}
	return true;
}
