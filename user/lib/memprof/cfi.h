/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How to get from a place in the code to its caller: rules of .eh_frame. */
#ifndef MEMPROF_CFI_H
#define MEMPROF_CFI_H

#include <stdbool.h>
#include <stdint.h>

enum mp_rule_kind {
	MP_RULE_NONE,			/* nothing is known: frame pointers */
	MP_RULE_SP,			/* frame ends at sp + cfa_offset */
	MP_RULE_BP,			/* at bp + cfa_offset */
	MP_RULE_BP_AT,			/* at what bp + cfa_offset points to */
	MP_RULE_PLT,			/* of the linker's stubs */
	MP_RULE_SIGNAL,			/* the kernel's frame */
	MP_RULE_END,			/* there is no caller */
};

/* The return address is the word below the frame's end. */
struct mp_rule {
	enum mp_rule_kind kind;
	int32_t cfa_offset;
	int32_t bp_offset;		/* from the frame's end; 0: as it is */
};

struct mp_rule mp_cfi_rule(uintptr_t pc, bool exact);

#endif
