/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-rule: how the caller's frame is found at one place of a binary's code
 *
 * The rule depends on nothing but the place. So it is computed once, from the call frame
 * information, and then serves all processes.
 */
#ifndef MP_FRAME_RULE_H
#define MP_FRAME_RULE_H

#include "map.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Limit of rules in memory. If there are more, all are forgotten. A rule has 44 bytes. */
#define MP_FRAME_RULES	32768

/** enum mp_frame_kind - what a rule says */
enum mp_frame_kind {
	MP_FRAME_OTHER,		/* too special for a rule: libdwfl has to unwind */
	MP_FRAME_CALLER,	/* there is a caller */
	MP_FRAME_LAST,		/* the thread began here */
};

/**
 * struct mp_frame_rule - finds the caller of a frame
 * @kind: the other fields are valid for MP_FRAME_CALLER
 * @by_fp: the frame's address is computed from the frame pointer, not from the stack
 *	pointer
 * @has_fp: the caller's frame pointer was stored
 * @has_return: the return address was stored; if not, it is in the link register
 * @cfa: what to add, to get the frame's address
 * @fp: where the frame pointer is, from the frame's address
 * @ret: where the return address is, from the frame's address
 */
struct mp_frame_rule {
	uint8_t kind;
	bool by_fp, has_fp, has_return;
	int32_t cfa, fp, ret;
};

/**
 * mp_frame_rule_make - compute the rule for an address
 * @cfi: of the binary
 * @address: of an instruction in the frame, as in @cfi
 */
struct mp_frame_rule mp_frame_rule_make(Dwarf_CFI *cfi, Dwarf_Addr address);

/**
 * struct mp_frame_rules - rules by file and offset; all zero means empty
 * @by_place: number of the file, and offset -> index in @list
 */
struct mp_frame_rules {
	struct mp_map by_place;
	struct mp_frame_rule *list;
	size_t nr, max;
};

/** mp_frame_rules_find - find a rule, or NULL; valid until one is added */
const struct mp_frame_rule *mp_frame_rules_find(const struct mp_frame_rules *rules,
						uint32_t file, uint64_t offset);

/** mp_frame_rules_add - keep a rule. Without memory it is not kept */
void mp_frame_rules_add(struct mp_frame_rules *rules, uint32_t file, uint64_t offset,
			const struct mp_frame_rule *rule);

/** mp_frame_rules_free - free all; the object is empty afterwards */
void mp_frame_rules_free(struct mp_frame_rules *rules);

#endif
