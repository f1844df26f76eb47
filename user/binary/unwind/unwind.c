// SPDX-License-Identifier: GPL-2.0-only
/*
 * unwind: follows the rules of frames (frame-rule.h), or lets libdwfl do it
 *
 * Rules need no more than the place of an address: its file and offset. They serve all
 * but a few stacks. If a frame has no rule, libdwfl unwinds the whole stack
 * (unwind-spaces.h). A stack that cannot be unwound to its end is marked as cut.
 */
#include "unwind.h"
#include "clock.h"
#include "unwind-files.h"
#include "unwind-spaces.h"

#include <dwarf.h>
#include <stdlib.h>

void mp_unwind_free(struct mp_unwind *unwind)
{
	mp_unwind_spaces_close(unwind);
	mp_map_free(&unwind->refused);
	mp_frame_rules_free(&unwind->rules);
	unwind->nr_refused = 0;
}

#if defined(__x86_64__)
/* Returns true if the frame's address is computed from the frame pointer. */
static bool is_by_frame_pointer(Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		return true;
	return ops[0].atom == DW_OP_breg6 ||
	       ((ops[0].atom == DW_OP_bregx || ops[0].atom == DW_OP_regx) &&
		ops[0].number == 6);
}
#else
/*
 * Returns true if the frame has a record of the frame pointer, x29. Its address is
 * computed from the stack pointer all the same.
 */
static bool is_by_frame_pointer(Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *ops;
	size_t nr;

	return dwarf_frame_register(frame, 29, memory, &ops, &nr) || nr;
}
#endif

/* Returns NULL without memory, or without time to read the file. */
static struct mp_unwind_file *file_in_time(struct mp_unwind *unwind,
					   const struct mp_merge *merge,
					   uint32_t process, uint32_t number)
{
	const uint32_t *known = mp_map_find(&unwind->by_file, number, 0);
	const uint64_t began_ns = mp_clock_ns();
	struct mp_unwind_file *file;

	if (!(known && unwind->files[*known].elf) && !mp_unwind_may_read(unwind))
		return NULL;
	file = mp_unwind_files_at(unwind, merge, process, number);
	if (!file) {
		mp_unwind_spaces_close(unwind);
		file = mp_unwind_files_at(unwind, merge, process, number);
	}
	mp_unwind_spend(unwind, began_ns);
	return file;
}

/* Returns NULL if the file has no call frame information, or cannot be read in time. */
static Dwarf_CFI *cfi_at(struct mp_unwind *unwind, const struct mp_merge *merge,
			 uint32_t process, uint32_t number, uint64_t offset,
			 Dwarf_Addr *address)
{
	struct mp_unwind_file *file = file_in_time(unwind, merge, process, number);

	if (!file || !file->elf)
		return NULL;
	if (!file->cfi)
		file->cfi = dwarf_getcfi_elf(file->elf);
	*address = offset - file->image.code_offset + file->image.code_address;
	return file->cfi;
}

bool mp_unwind_keeps_frame(struct mp_unwind *unwind,
			   const struct mp_merge *merge, uint32_t process,
			   uint32_t number, uint64_t offset)
{
	Dwarf_Addr address;
	Dwarf_Frame *frame;
	Dwarf_CFI *cfi = cfi_at(unwind, merge, process, number, offset - 1, &address);
	bool keeps = true;

	if (cfi && !dwarf_cfi_addrframe(cfi, address, &frame)) {
		keeps = is_by_frame_pointer(frame);
		free(frame);
	}
	return keeps;
}

/* A file without call frame information is not kept: perhaps it can be read later. */
static struct mp_frame_rule rule_at(struct mp_unwind *unwind, const struct mp_merge *merge,
				    uint32_t process, uint64_t pc)
{
	const struct mp_range *range = mp_spaces_find(&merge->spaces, process, pc);
	struct mp_frame_rule rule = { .kind = MP_FRAME_OTHER };
	const struct mp_frame_rule *known;
	Dwarf_Addr address;
	Dwarf_CFI *cfi;
	uint64_t offset;

	if (!range || range->file >= merge->nr_files)
		return rule;
	offset = pc - range->start + range->offset;
	known = mp_frame_rules_find(&unwind->rules, range->file, offset);
	if (known)
		return *known;
	cfi = cfi_at(unwind, merge, process, range->file, offset, &address);
	if (cfi) {
		rule = mp_frame_rule_make(cfi, address);
		mp_frame_rules_add(&unwind->rules, range->file, offset, &rule);
	}
	return rule;
}

/* Registers of the frame that is left next. */
struct frame {
	uint64_t pc, sp, fp;
	bool is_first;
};

/* Returns false if the copy of the stack does not reach the caller. */
static bool leave_frame(struct mp_unwind_walk *walk, const struct mp_frame_rule *rule,
			struct frame *frame)
{
	const uint64_t cfa = (rule->by_fp ? frame->fp : frame->sp) + (int64_t)rule->cfa;

	if (rule->has_return && !mp_unwind_read(walk, cfa + (int64_t)rule->ret, &frame->pc))
		return false;
	if (!rule->has_return)
		frame->pc = mp_unwind_register(walk->dump, MP_PERF_LR);
	if (rule->has_fp && !mp_unwind_read(walk, cfa + (int64_t)rule->fp, &frame->fp))
		return false;
	frame->sp = cfa;
	frame->is_first = false;
	return true;
}

/* How a walk ended. */
enum walk_end { WALK_OTHER, WALK_WHOLE, WALK_CUT };

/* Returns WALK_OTHER if libdwfl has to do it. */
static enum walk_end walk_by_rules(struct mp_unwind *unwind, const struct mp_merge *merge,
				   uint32_t process, struct mp_unwind_walk *walk)
{
	struct frame frame = {
		.pc = mp_unwind_register(walk->dump, MP_PERF_PC), .sp = walk->sp,
		.fp = mp_unwind_register(walk->dump, MP_PERF_FP), .is_first = true,
	};
	struct mp_frame_rule rule;

	for (;;) {
		walk->frames[walk->nr++] = frame.pc + frame.is_first;
		rule = rule_at(unwind, merge, process, frame.pc - !frame.is_first);
		if (rule.kind == MP_FRAME_LAST)
			return WALK_WHOLE;
		/* only the innermost function may still have it in the register */
		if (rule.kind == MP_FRAME_OTHER || (!rule.has_return && !frame.is_first))
			return WALK_OTHER;
		if (!leave_frame(walk, &rule, &frame))
			return WALK_CUT;
		if (!frame.pc)
			return WALK_WHOLE;
		/* leave room for the end mark */
		if (walk->nr == MP_STACKS_DEPTH - 1)
			return WALK_CUT;
	}
}

uint32_t mp_unwind_dump(struct mp_unwind *unwind, struct mp_merge *merge,
			uint32_t process, const struct mp_dump *dump,
			uint64_t *frames)
{
	struct mp_unwind_walk walk = {
		.dump = dump, .sp = mp_unwind_register(dump, MP_PERF_SP), .frames = frames,
	};
	enum walk_end end = walk_by_rules(unwind, merge, process, &walk);
	struct mp_unwind_space *space;

	if (end == WALK_OTHER) {
		space = mp_unwind_spaces_at(unwind, merge, process);
		if (!space) {
			frames[0] = mp_unwind_register(dump, MP_PERF_PC) + 1;
			frames[1] = MP_STACKS_CUT;
			return 2;
		}
		end = mp_unwind_spaces_walk(unwind, space, &walk) ? WALK_WHOLE : WALK_CUT;
	}
	unwind->nr_unwound++;
	unwind->nr_cut += end == WALK_CUT;
	frames[walk.nr] = end == WALK_WHOLE ? MP_STACKS_BEGIN : MP_STACKS_CUT;
	return walk.nr + 1;
}
