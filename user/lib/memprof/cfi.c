// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * cfi.c: reads the unwind rule of a code address from .eh_frame.
 *
 * It reads the tables from the mapped binary, like the code that handles C++
 * exceptions. But it allocates nothing and takes no lock: _dl_find_object()
 * (glibc 2.35) finds the binary. It reads only the rules for the CFA (end of
 * the frame), the return address and the frame pointer, of x86-64 and arm64.
 *
 * The table may be damaged. So only memory in the segment that contains the
 * table, or the record, is read.
 *
 * Cost: 300 to 500 ns; stack-walk.c caches the rules. If there is no table, or
 * if its form is not supported, the result is MP_RULE_NONE.
 */
#include "cfi.h"

#include "binary-headers.h"

#include <stddef.h>
#include <string.h>

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(DLFO_STRUCT_HAS_EH_DBASE)

#pragma weak _dl_find_object

#ifdef __x86_64__
#define REG_BP	6
#define REG_SP	7
#define REG_RA	16
#else
#include <elf.h>
#include <sys/auxv.h>

#define REG_BP	29
#define REG_SP	31
#define REG_RA	30
#endif

#define PE_OMIT		0xff
#define PE_FORMAT	0x0f
#define PE_RELATION	0x70

struct bytes {
	const uint8_t *at;
	const uint8_t *end;
	bool bad;
};

enum saved { SAME, AT_OFFSET, UNDEFINED, OTHER };

struct row {
	uint64_t cfa_reg;
	int64_t cfa_offset;
	enum mp_rule_kind special;	/* kind of rule, if the CFA is an expression */
	enum saved bp, ra;
	int64_t bp_offset, ra_offset;
};

struct code {
	struct bytes initial, own;
	uintptr_t begin;
	uint64_t code_align;
	int64_t data_align;
	bool signal;
};

static uint64_t read_bytes(struct bytes *b, size_t n)
{
	uint64_t value = 0;

	if (b->bad || (size_t)(b->end - b->at) < n) {
		b->bad = true;
		return 0;
	}
	memcpy(&value, b->at, n);
	b->at += n;
	return value;
}

/* Reads a LEB128 number. *last: out: last byte. *bits: out: number of bits. */
static uint64_t leb128(struct bytes *b, uint64_t *last, int *bits)
{
	uint64_t value = 0;

	*bits = 0;
	do {
		*last = read_bytes(b, 1);
		if (*bits < 64)
			value |= (*last & 0x7f) << *bits;
		*bits += 7;
	} while (*last & 0x80);
	return value;
}

static uint64_t uleb(struct bytes *b)
{
	uint64_t last;
	int bits;

	return leb128(b, &last, &bits);
}

static int64_t sleb(struct bytes *b)
{
	uint64_t last, value;
	int bits;

	value = leb128(b, &last, &bits);
	if (bits < 64 && last & 0x40)
		value |= UINT64_MAX << bits;
	return value;
}

static void skip_bytes(struct bytes *b, uint64_t n)
{
	if (b->bad || n > (uint64_t)(b->end - b->at))
		b->bad = true;
	else
		b->at += n;
}

/* Reads a pointer with an encoding DW_EH_PE_*. @data: base of DW_EH_PE_datarel. */
static uintptr_t read_pointer(struct bytes *b, uint8_t encoding, uintptr_t data)
{
	uintptr_t here = (uintptr_t)b->at, value;

	switch (encoding & PE_FORMAT) {
	case 0x00: case 0x04: case 0x0c:
		value = read_bytes(b, 8);
		break;
	case 0x03:
		value = read_bytes(b, 4);
		break;
	case 0x0b:
		value = (int64_t)(int32_t)read_bytes(b, 4);
		break;
	default:
		b->bad = true;
		return 0;
	}
	switch (encoding & PE_RELATION) {
	case 0x10:
		return value + here;
	case 0x30:
		return value + data;
	default:
		return value;
	}
}

static int32_t table_entry(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Finds the last entry of the sorted table that starts at @pc or below it. */
static uintptr_t search_table(const uint8_t *hdr, struct bytes *b, uint64_t nr,
			      uintptr_t pc)
{
	const uint8_t *table = b->at;
	uint64_t low = 0, high = nr, mid;

	if (!nr || nr > (uint64_t)(b->end - table) / 8)
		return 0;
	while (high - low > 1) {
		mid = (low + high) / 2;
		if ((uintptr_t)hdr + table_entry(table + 8 * mid) <= pc)
			low = mid;
		else
			high = mid;
	}
	if ((uintptr_t)hdr + table_entry(table + 8 * low) > pc)
		return 0;
	return (uintptr_t)hdr + table_entry(table + 8 * low + 4);
}

/* Range of addresses that may be read. */
struct segment {
	uintptr_t begin, end;
};

/* Finds the record (FDE) of a code address. @s: out: segment of the table. */
static uintptr_t find_fde(const struct dl_find_object *object, uintptr_t pc,
			  struct segment *s)
{
	const uint8_t *hdr = object->dlfo_eh_frame;
	struct bytes b = { hdr, NULL, false };
	uint8_t frame, count, table;
	uint64_t nr;

	if (!hdr || !mp_binary_segment(object, (uintptr_t)hdr, &s->begin, &s->end))
		return 0;
	b.end = (const uint8_t *)s->end;
	if (read_bytes(&b, 1) != 1)
		return 0;
	frame = read_bytes(&b, 1);
	count = read_bytes(&b, 1);
	table = read_bytes(&b, 1);
	/* 0x3b: entries of 4 bytes, relative to the header, as all linkers write */
	if (count == PE_OMIT || table != 0x3b)
		return 0;
	read_pointer(&b, frame, (uintptr_t)hdr);
	nr = read_pointer(&b, count, (uintptr_t)hdr);
	return b.bad ? 0 : search_table(hdr, &b, nr, pc);
}

/* Reads the length of the record at @at, and returns the bytes that follow. */
static struct bytes read_record(uintptr_t at, const struct segment *s)
{
	struct bytes b = { (const uint8_t *)at, (const uint8_t *)s->end, false };
	uint64_t length;

	if (at < s->begin || at >= s->end) {
		b.bad = true;
		return b;
	}
	length = read_bytes(&b, 4);
	/* 0xffffffff begins a 64-bit length, which .eh_frame has never in practice */
	if (length == 0xffffffff || length > (uint64_t)(b.end - b.at))
		b.bad = true;
	else
		b.end = b.at + length;
	return b;
}

static bool read_cie(uintptr_t at, const struct segment *s, struct code *code,
		     uint8_t *encoding, bool *augmented)
{
	struct bytes b = read_record(at, s), rest;
	const char *augmentation;
	uint8_t version;

	if (read_bytes(&b, 4) || b.bad)
		return false;
	version = read_bytes(&b, 1);
	augmentation = (const char *)b.at;
	while (read_bytes(&b, 1))
		;
	code->code_align = uleb(&b);
	code->data_align = sleb(&b);
	if ((version == 1 ? read_bytes(&b, 1) : uleb(&b)) != REG_RA || b.bad)
		return false;
	*encoding = 0;
	*augmented = *augmentation == 'z';
	if (*augmented) {
		uint64_t length = uleb(&b);

		rest = b;
		skip_bytes(&b, length);
		while (*++augmentation && !rest.bad)
			switch (*augmentation) {
			case 'R':
				*encoding = read_bytes(&rest, 1);
				break;
			case 'P':
				read_pointer(&rest, read_bytes(&rest, 1) & PE_FORMAT, 0);
				break;
			case 'L':
				read_bytes(&rest, 1);
				break;
			case 'S':
				code->signal = true;
				break;
#ifdef __aarch64__
			case 'B': case 'G':	/* keys of signatures, tagged memory */
				break;
#endif
			default:
				rest.bad = true;
			}
		if (rest.bad)
			return false;
	} else if (*augmentation) {
		return false;
	}
	code->initial = b;
	return !b.bad;
}

static bool read_fde(uintptr_t at, const struct segment *s, uintptr_t pc,
		     struct code *code)
{
	struct bytes b = read_record(at, s);
	uintptr_t cie = (uintptr_t)b.at;
	uint8_t encoding;
	bool augmented;
	uint64_t size;

	cie -= read_bytes(&b, 4);
	if (b.bad || !read_cie(cie, s, code, &encoding, &augmented))
		return false;
	code->begin = read_pointer(&b, encoding, 0);
	size = read_pointer(&b, encoding & PE_FORMAT, 0);
	if (b.bad || pc < code->begin || pc - code->begin >= size)
		return false;
	if (augmented)
		skip_bytes(&b, uleb(&b));
	code->own = b;
	return !b.bad;
}

#ifdef __x86_64__
/*
 * Reads an expression for the CFA. Only the two expressions that compilers and
 * linkers write are supported. In PLT stubs the CFA is rsp + 8, or rsp + 16
 * after the push instruction. In functions that realign the stack, the CFA is
 * the word in memory at rbp - n.
 */
static void cfa_expression(struct bytes *b, struct row *row)
{
	uint64_t length = uleb(b);
	struct bytes e = *b;

	skip_bytes(b, length);
	row->special = MP_RULE_NONE;
	if (b->bad)
		return;
	e.end = b->at;
	switch (read_bytes(&e, 1)) {
	case 0x76:				/* DW_OP_breg6 */
		row->cfa_offset = sleb(&e);
		if (read_bytes(&e, 1) == 0x06 && e.at == e.end && !e.bad)
			row->special = MP_RULE_BP_AT;
		break;
	case 0x77:				/* DW_OP_breg7 */
		row->cfa_offset = sleb(&e);
		if (row->cfa_offset == 8 && read_bytes(&e, 1) == 0x80 && !e.bad)
			row->special = MP_RULE_PLT;
		break;
	}
	row->cfa_reg = UINT64_MAX;
}
#else
/* Compilers for arm64 do not write any. */
static void cfa_expression(struct bytes *b, struct row *row)
{
	skip_bytes(b, uleb(b));
	row->special = MP_RULE_NONE;
	row->cfa_reg = UINT64_MAX;
}
#endif

static void set_rule(struct row *row, uint64_t reg, enum saved how, int64_t offset)
{
	if (reg == REG_BP) {
		row->bp = how;
		row->bp_offset = offset;
	} else if (reg == REG_RA) {
		row->ra = how;
		row->ra_offset = offset;
	}
}

static void restore_rule(struct row *row, uint64_t reg, const struct row *first)
{
	if (reg == REG_BP)
		set_rule(row, reg, first->bp, first->bp_offset);
	else if (reg == REG_RA)
		set_rule(row, reg, first->ra, first->ra_offset);
}

#define MAX_REMEMBERED 8

struct machine {
	struct row row, first;
	struct row remembered[MAX_REMEMBERED];
	int nr_remembered;
	uintptr_t at;
};

/*
 * A damaged table may contain any factor, so the product may overflow and wrap.
 */
static int64_t scale(uint64_t factor, const struct code *code)
{
	return (int64_t)(factor * (uint64_t)code->data_align);
}

/* Executes an instruction that sets the rule of a register. */
static void execute_save(struct bytes *b, uint8_t op, const struct code *code,
			 struct machine *m)
{
	uint64_t reg = uleb(b);

	switch (op) {
	case 0x05:				/* offset_extended */
		set_rule(&m->row, reg, AT_OFFSET, scale(uleb(b), code));
		break;
	case 0x11:				/* offset_extended_sf */
		set_rule(&m->row, reg, AT_OFFSET, scale((uint64_t)sleb(b), code));
		break;
	case 0x2f:				/* GNU_negative_offset_extended */
		set_rule(&m->row, reg, AT_OFFSET, scale(-uleb(b), code));
		break;
	case 0x06:				/* restore_extended */
		restore_rule(&m->row, reg, &m->first);
		break;
	case 0x07:				/* undefined */
		set_rule(&m->row, reg, UNDEFINED, 0);
		break;
	case 0x08:				/* same_value */
		set_rule(&m->row, reg, SAME, 0);
		break;
	case 0x09: case 0x14: case 0x15:	/* register, val_offset, _sf */
		uleb(b);
		set_rule(&m->row, reg, OTHER, 0);
		break;
	case 0x10: case 0x16:			/* expression, val_expression */
		skip_bytes(b, uleb(b));
		set_rule(&m->row, reg, OTHER, 0);
		break;
	}
}

/* Executes an instruction that sets the rule of the CFA. */
static void execute_cfa(struct bytes *b, uint8_t op, const struct code *code,
			struct row *row)
{
	switch (op) {
	case 0x0c:				/* def_cfa */
		row->cfa_reg = uleb(b);
		row->cfa_offset = uleb(b);
		break;
	case 0x12:				/* def_cfa_sf */
		row->cfa_reg = uleb(b);
		row->cfa_offset = scale((uint64_t)sleb(b), code);
		break;
	case 0x0d:				/* def_cfa_register */
		row->cfa_reg = uleb(b);
		break;
	case 0x0e:				/* def_cfa_offset */
		row->cfa_offset = uleb(b);
		break;
	case 0x13:				/* def_cfa_offset_sf */
		row->cfa_offset = scale((uint64_t)sleb(b), code);
		break;
	case 0x0f:				/* def_cfa_expression */
		cfa_expression(b, row);
		break;
	}
}

static void execute_state(struct bytes *b, uint8_t op, struct machine *m)
{
	if (op == 0x0a) {			/* remember_state */
		if (m->nr_remembered == MAX_REMEMBERED)
			b->bad = true;
		else
			m->remembered[m->nr_remembered++] = m->row;
	} else {				/* restore_state */
		if (!m->nr_remembered)
			b->bad = true;
		else
			m->row = m->remembered[--m->nr_remembered];
	}
}

static void execute_one(struct bytes *b, const struct code *code,
			struct machine *m)
{
	uint8_t op = read_bytes(b, 1), low = op & 0x3f;

	switch (op >> 6) {
	case 1:
		m->at += low * code->code_align;
		return;
	case 2:
		set_rule(&m->row, low, AT_OFFSET, scale(uleb(b), code));
		return;
	case 3:
		restore_rule(&m->row, low, &m->first);
		return;
	}
	switch (op) {
	case 0x00:				/* nop */
		break;
	case 0x02: case 0x03: case 0x04:	/* advance_loc1, 2, 4 */
		m->at += read_bytes(b, 1 << (op - 2)) * code->code_align;
		break;
	case 0x0a: case 0x0b:
		execute_state(b, op, m);
		break;
	case 0x0c: case 0x0d: case 0x0e: case 0x0f: case 0x12: case 0x13:
		execute_cfa(b, op, code, &m->row);
		break;
	case 0x05: case 0x06: case 0x07: case 0x08: case 0x09: case 0x10:
	case 0x11: case 0x14: case 0x15: case 0x16: case 0x2f:
		execute_save(b, op, code, m);
		break;
	case 0x2e:				/* GNU_args_size */
		uleb(b);
		break;
#ifdef __aarch64__
	/*
	 * AARCH64_negate_ra_state, with_pc: the return address is signed from here on,
	 * or not any more. The walk removes a signature where there may be one.
	 */
	case 0x2d: case 0x2c:
		break;
#endif
	default:
		b->bad = true;
	}
}

/*
 * Executes the instructions up to the row that is valid for @pc. Returns false if an
 * instruction is unknown.
 */
static bool execute(struct bytes b, const struct code *code, uintptr_t pc,
		    struct machine *m)
{
	struct row before;

	while (b.at < b.end && !b.bad) {
		before = m->row;
		execute_one(&b, code, m);
		if (m->at > pc) {
			m->row = before;
			break;
		}
	}
	return !b.bad;
}

#ifdef __x86_64__
static bool has_return_address(const struct row *row)
{
	return row->ra == AT_OFFSET && row->ra_offset == -8;
}
#else
static bool has_return_address(const struct row *row)
{
	return row->ra == SAME ||
	       (row->ra == AT_OFFSET && row->ra_offset &&
		row->ra_offset == (int32_t)row->ra_offset);
}
#endif

static struct mp_rule rule_of(const struct row *row)
{
	struct mp_rule rule = { .cfa_offset = row->cfa_offset };

	if (row->ra == UNDEFINED)
		return (struct mp_rule){ .kind = MP_RULE_END };
	if (!has_return_address(row) || row->bp == OTHER ||
	    row->cfa_offset != rule.cfa_offset ||
	    row->bp_offset != (int32_t)row->bp_offset)
		return (struct mp_rule){ 0 };
	if (row->cfa_reg == REG_SP)
		rule.kind = MP_RULE_SP;
	else if (row->cfa_reg == REG_BP)
		rule.kind = MP_RULE_BP;
	else if (row->cfa_reg == UINT64_MAX)
		rule.kind = row->special;
	if (row->bp == AT_OFFSET)
		rule.bp_offset = row->bp_offset;
	if (row->ra == AT_OFFSET)
		rule.ra_offset = row->ra_offset;
	return rule;
}

#ifdef __aarch64__
/*
 * Whether @pc is where the kernel lets signal handlers return to: code of the vDSO
 * that has no rules, so that unwinders look at the instructions.
 */
static bool is_signal_return(uintptr_t pc)
{
	static const uint32_t code[] = {
		0xd2801168,			/* mov x8, #139 (rt_sigreturn) */
		0xd4000001,			/* svc #0 */
	};
	const Elf64_Ehdr *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Phdr *p = (const void *)vdso;
	int i;

	if (!vdso || pc < (uintptr_t)vdso || pc % 4)
		return false;
	p = (const void *)((const char *)vdso + vdso->e_phoff);
	for (i = 0; i < vdso->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_filesz >= sizeof(code) &&
		    pc - (uintptr_t)vdso <= p[i].p_filesz - sizeof(code))
			return !memcmp((const void *)pc, code, sizeof(code));
	return false;
}
#else
static bool is_signal_return(uintptr_t pc)
{
	(void)pc;
	return false;
}
#endif

/* Finds the description of @pc in .eh_frame. Returns false if there is none. */
static bool find_code(const struct dl_find_object *object, uintptr_t pc,
		      struct code *code)
{
	struct segment s;
	uintptr_t fde = find_fde(object, pc, &s);

	*code = (struct code){ 0 };
	if (!fde)
		return false;
	/* usually the record is in the segment of the table; else find its segment */
	if ((fde < s.begin || fde >= s.end) &&
	    !mp_binary_segment(object, fde, &s.begin, &s.end))
		return false;
	return read_fde(fde, &s, pc, code);
}

/**
 * mp_cfi_rule() - find the rule that leads to the caller
 * @pc: code address
 * @exact: true: @pc is the address itself. false: @pc is a return address minus 1,
 *	inside the call instruction. If there is no code at such a @pc, and a
 *	function starts at the next byte, the rule is MP_RULE_END: makecontext()
 *	stores such a return address for the first function of a coroutine
 */
struct mp_rule mp_cfi_rule(uintptr_t pc, bool exact)
{
	struct mp_rule none = { 0 };
	struct dl_find_object object;
	struct machine m = { 0 };
	struct code code;
	bool begin = false;

	if (is_signal_return(exact ? pc : pc + 1))
		return (struct mp_rule){ .kind = MP_RULE_SIGNAL };
	if (!_dl_find_object || _dl_find_object((void *)pc, &object))
		return none;
	if (!find_code(&object, pc, &code)) {
		begin = !exact && find_code(&object, pc + 1, &code) &&
			code.begin == pc + 1;
		if (!begin)
			return none;
	}
	if (code.signal)
		return (struct mp_rule){ .kind = MP_RULE_SIGNAL };
	if (begin)
		return (struct mp_rule){ .kind = MP_RULE_END };
	m.at = code.begin;
	if (!execute(code.initial, &code, UINTPTR_MAX, &m))
		return none;
	m.first = m.row;
	m.at = code.begin;
	if (!execute(code.own, &code, pc, &m))
		return none;
	return rule_of(&m.row);
}

#else

struct mp_rule mp_cfi_rule(uintptr_t pc, bool exact)
{
	(void)pc;
	(void)exact;
	return (struct mp_rule){ 0 };
}

#endif
