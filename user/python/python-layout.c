// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * python-layout: distances of Python 3.11, and those that later ones declare
 *
 * From 3.13 on, _PyRuntime begins with the distances of the fields that a debugger
 * needs. For 3.11 they are in a table here. Other versions are not known. The distances
 * come from a process, so they are bounded.
 */
#include "python-layout.h"

#include <string.h>

/* Limit of the distances that an interpreter declares. */
#define MAX_DISTANCE	(1UL << 20)
/* The first 16 bits of the version of an interpreter that declares its distances. */
#define DECLARING	0x030d

static const struct mp_python_layout python_3_11 = {
	.version = 0x030b,
	.runtime = { .interpreters = 40 },
	.interpreter = { .next = 0, .threads = 16 },
	.thread = { .next = 8, .id = 152, .native = 160, .control = 56 },
	.control_frame = 8, .control_previous = 16,
	.frame = { .size = 72, .previous = 48, .code = 32, .instr = 56,
		   .mark = 68, .mark_value = 1 },
	.code = { .size = 184, .type = 8, .file = 112, .name = 128, .lines = 136,
		  .first_line = 72, .begin = 184 },
	.bytes = { .size = 16, .data = 32 },
	.text = { .length = 16, .hash = 24, .state = 32, .ascii = 48, .other = 72 },
};

/* The begin of _PyRuntime in Python 3.13, as in its pycore_runtime.h. */
struct debug_offsets {
	char cookie[8];
	uint64_t version;
	uint64_t free_threaded;
	struct {
		uint64_t size, finalizing, interpreters_head;
	} runtime;
	struct {
		uint64_t size, id, next, threads_head, gc, imports_modules, sysdict,
			 builtins, ceval_gil, gil_state, gil_enabled, gil_locked,
			 gil_holder;
	} interpreter;
	struct {
		uint64_t size, prev, next, interp, current_frame, thread_id,
			 native_thread_id, datastack_chunk, status;
	} thread;
	struct {
		uint64_t size, previous, executable, instr_ptr, localsplus, owner;
	} frame;
	struct {
		uint64_t size, filename, name, qualname, linetable, firstlineno,
			 argcount, localsplusnames, localspluskinds, co_code_adaptive;
	} code;
	struct {
		uint64_t size, ob_type;
	} object;
	uint64_t type[4], tuple[3], list[3], dict[3], floating[2], number[3];
	struct {
		uint64_t size, ob_size, ob_sval;
	} bytes;
	struct {
		uint64_t size, state, length, asciiobject_size;
	} text;
};

/* FRAME_OWNED_BY_CSTACK of 3.12 and 3.13. */
#define OWNED_BY_C	3

_Static_assert(sizeof(struct debug_offsets) == MP_PYTHON_DECLARED, "as the header says");

const struct mp_python_layout *mp_python_layout_of(uint64_t version)
{
	return version >> 16 == python_3_11.version ? &python_3_11 : NULL;
}

static bool has(uint64_t size, uint64_t field)
{
	return field % 4 == 0 && field + sizeof(uintptr_t) <= size;
}

/* Whether the fields that are read together are inside of their structures. */
static bool has_fields(const struct debug_offsets *is)
{
	return has(is->frame.size, is->frame.previous) &&
	       has(is->frame.size, is->frame.executable) &&
	       has(is->frame.size, is->frame.instr_ptr) && is->frame.owner < is->frame.size &&
	       has(is->code.size, is->code.filename) && has(is->code.size, is->code.qualname) &&
	       has(is->code.size, is->code.linetable) && has(is->code.size, is->object.ob_type) &&
	       has(is->code.size, is->code.firstlineno) &&
	       has(is->text.asciiobject_size, is->text.length + sizeof(uint64_t)) &&
	       has(is->text.asciiobject_size, is->text.state);
}

bool mp_python_layout_declared(const void *begin, struct mp_python_layout *to)
{
	struct debug_offsets is;
	const uint64_t *words = (const uint64_t *)&is;
	size_t i;

	memcpy(&is, begin, sizeof(is));
	if (memcmp(is.cookie, "xdebugpy", sizeof(is.cookie)) ||
	    is.version >> 16 != DECLARING || is.free_threaded)
		return false;
	for (i = 3; i < sizeof(is) / sizeof(*words); i++)
		if (words[i] > MAX_DISTANCE)
			return false;
	if (!has_fields(&is))
		return false;
	*to = (struct mp_python_layout){
		.version = (uint16_t)(is.version >> 16),
		.runtime = { .interpreters = is.runtime.interpreters_head },
		.interpreter = { .next = is.interpreter.next,
				 .threads = is.interpreter.threads_head },
		.thread = { .next = is.thread.next, .id = is.thread.thread_id,
			    .native = is.thread.native_thread_id,
			    .control = is.thread.current_frame },
		.frame = { .size = is.frame.size, .previous = is.frame.previous,
			   .code = is.frame.executable, .instr = is.frame.instr_ptr,
			   .mark = is.frame.owner, .mark_value = OWNED_BY_C },
		.code = { .size = is.code.size, .type = is.object.ob_type,
			  .file = is.code.filename, .name = is.code.qualname,
			  .lines = is.code.linetable, .first_line = is.code.firstlineno,
			  .begin = is.code.co_code_adaptive },
		.bytes = { .size = is.bytes.ob_size, .data = is.bytes.ob_sval },
		/* the hash is behind the length, as in all versions */
		.text = { .length = is.text.length, .hash = is.text.length + 8,
			  .state = is.text.state, .ascii = is.text.asciiobject_size,
			  .other = is.text.asciiobject_size + 16 },
	};
	return true;
}
