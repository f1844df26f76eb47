// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame-rule: asks libdw for the rules of three registers: the frame's address, the
 * return address and the frame pointer
 *
 * Others are not needed: compilers compute addresses of frames from the stack pointer or
 * the frame pointer. Where they do it in another way (expressions of stubs of the dynamic
 * linker, functions that realign the stack, signal frames), there is no rule.
 */
#include "frame-rule.h"
#include "array.h"

#include <dwarf.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define DWARF_FP	6
#define DWARF_SP	7
#elif defined(__aarch64__)
#define DWARF_FP	29
#define DWARF_SP	31
#endif

/* What is known of a register of the caller. */
enum { SAME, STORED, UNDEFINED, SPECIAL };

static bool fits(int64_t offset, int32_t *to)
{
	*to = (int32_t)offset;
	return *to == offset;
}

/* Where a register was stored is written as the frame's address plus an offset. */
static int register_rule(Dwarf_Frame *frame, int number, int32_t *at)
{
	Dwarf_Op memory[3], *ops = NULL;
	size_t nr = 0;

	if (dwarf_frame_register(frame, number, memory, &ops, &nr))
		return SPECIAL;
	if (!nr)
		return ops ? UNDEFINED : SAME;
	if (ops[0].atom != DW_OP_call_frame_cfa || nr > 2)
		return SPECIAL;
	if (nr == 2 && ops[1].atom != DW_OP_plus_uconst)
		return SPECIAL;
	return fits(nr == 2 ? (int64_t)ops[1].number : 0, at) ? STORED : SPECIAL;
}

static bool address_rule(Dwarf_Frame *frame, struct mp_frame_rule *rule)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || nr != 1 || ops[0].atom != DW_OP_bregx)
		return false;
	rule->by_fp = ops[0].number == DWARF_FP;
	return (rule->by_fp || ops[0].number == DWARF_SP) &&
	       fits((int64_t)ops[0].number2, &rule->cfa);
}

static struct mp_frame_rule rule_of(Dwarf_Frame *frame)
{
	const struct mp_frame_rule other = { .kind = MP_FRAME_OTHER };
	struct mp_frame_rule rule = { .kind = MP_FRAME_CALLER };
	bool is_signal = false;
	int number = dwarf_frame_info(frame, NULL, NULL, &is_signal);
	int ret, fp;

	if (number < 0 || is_signal || !address_rule(frame, &rule))
		return other;
	ret = register_rule(frame, number, &rule.ret);
	fp = register_rule(frame, DWARF_FP, &rule.fp);
	if (ret == UNDEFINED)
		return (struct mp_frame_rule){ .kind = MP_FRAME_LAST };
	if (ret == SPECIAL || fp == SPECIAL || fp == UNDEFINED)
		return other;
	rule.has_return = ret == STORED;
	rule.has_fp = fp == STORED;
	return rule;
}

struct mp_frame_rule mp_frame_rule_make(Dwarf_CFI *cfi, Dwarf_Addr address)
{
	struct mp_frame_rule rule = { .kind = MP_FRAME_OTHER };
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(cfi, address, &frame))
		return rule;
	rule = rule_of(frame);
	free(frame);
	return rule;
}

const struct mp_frame_rule *mp_frame_rules_find(const struct mp_frame_rules *rules,
						uint32_t file, uint64_t offset)
{
	const uint32_t *known = mp_map_find(&rules->by_place, file, offset);

	return known ? &rules->list[*known] : NULL;
}

void mp_frame_rules_add(struct mp_frame_rules *rules, uint32_t file, uint64_t offset,
			const struct mp_frame_rule *rule)
{
	uint32_t *known;

	if (rules->nr == MP_FRAME_RULES)
		mp_frame_rules_free(rules);
	if (rules->nr == rules->max &&
	    !mp_array_grow(&rules->list, &rules->max, sizeof(*rules->list)))
		return;
	known = mp_map_add(&rules->by_place, file, offset);
	if (!known)
		return;
	if (*known == MP_MAP_NEW)
		*known = (uint32_t)rules->nr++;
	rules->list[*known] = *rule;
}

void mp_frame_rules_free(struct mp_frame_rules *rules)
{
	mp_map_free(&rules->by_place);
	free(rules->list);
	*rules = (struct mp_frame_rules){ 0 };
}
