/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cfi.h: reads unwind rules from .eh_frame, which lead from a function to its caller.
 */
#ifndef MEMPROF_CFI_H
#define MEMPROF_CFI_H

#include <stdbool.h>
#include <stdint.h>

enum mp_rule_kind {
	MP_RULE_NONE,			/* not known: use the frame pointer */
	MP_RULE_SP,			/* CFA is sp + cfa_offset */
	MP_RULE_BP,			/* CFA is bp + cfa_offset */
	MP_RULE_BP_AT,			/* CFA is the word at bp + cfa_offset */
	MP_RULE_PLT,			/* code is in a PLT stub of the linker (x86-64) */
	MP_RULE_SIGNAL,			/* signal frame of the kernel */
	MP_RULE_END,			/* there is no caller */
};

/*
 * How to find the caller. On x86-64 the return address is always the word below the
 * CFA. On arm64 it may be in the link register (x30) still.
 */
struct mp_rule {
	enum mp_rule_kind kind;
	int32_t cfa_offset;
	int32_t bp_offset;		/* from the CFA; 0: bp is unchanged */
	int32_t ra_offset;		/* from the CFA; 0: in the link register */
};

struct mp_rule mp_cfi_rule(uintptr_t pc, bool exact);

#endif
