// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * python-runtime.c: finds the Python interpreter in this process, by its symbols.
 *
 * From 3.13 on, _PyRuntime begins with the distances of the fields that a debugger
 * needs. For 3.11 they are in a table here. Other versions are met, but not read.
 * The distances come from the host, so they are bounded before they are used, and all
 * that is read with them is read by host-memory.c.
 *
 * Cost: a search in a hash table per binary, at start and for each new binary of a
 * stack, until an interpreter is met.
 */
#include "python-runtime.h"

#include "loaded-object.h"
#include "host-memory.h"

#include <string.h>

/* Limit of the distances that an interpreter declares. */
#define MAX_DISTANCE	(1UL << 20)
/* The first 16 bits of the version of an interpreter that declares its distances. */
#define DECLARING	0x030d

static const struct mp_python_layout python_3_11 = {
	.version = 0x030b,
	.runtime = { .interpreters = 40 },
	.interpreter = { .next = 0, .threads = 16 },
	.thread = { .next = 8, .id = 152, .control = 56 },
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

static struct mp_python_layout declared;
static struct mp_python python;
static bool is_met;

static bool has(uint64_t size, uint64_t field)
{
	return field % 4 == 0 && field + sizeof(uintptr_t) <= size;
}

/* Whether the fields that are read together are inside of their structures. */
static bool has_fields(const struct debug_offsets *is)
{
	return has(is->frame.size, is->frame.previous) && is->frame.owner < is->frame.size &&
	       has(is->code.size, is->code.filename) && has(is->code.size, is->code.qualname) &&
	       has(is->code.size, is->code.linetable) && has(is->code.size, is->object.ob_type) &&
	       has(is->code.size, is->code.firstlineno) &&
	       has(is->text.asciiobject_size, is->text.length + sizeof(uint64_t)) &&
	       has(is->text.asciiobject_size, is->text.state);
}

static bool declares(uintptr_t runtime, size_t size)
{
	struct debug_offsets is;
	const uint64_t *words = (const uint64_t *)&is;
	size_t i;

	if (size < sizeof(is) || !mp_host_read(runtime, &is, sizeof(is)) ||
	    memcmp(is.cookie, "xdebugpy", sizeof(is.cookie)) ||
	    is.version >> 16 != DECLARING || is.free_threaded)
		return false;
	for (i = 3; i < sizeof(is) / sizeof(*words); i++)
		if (words[i] > MAX_DISTANCE)
			return false;
	if (!has_fields(&is))
		return false;
	declared = (struct mp_python_layout){
		.version = (uint16_t)(is.version >> 16),
		.runtime = { .interpreters = is.runtime.interpreters_head },
		.interpreter = { .next = is.interpreter.next,
				 .threads = is.interpreter.threads_head },
		.thread = { .next = is.thread.next, .id = is.thread.thread_id,
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

/* Returns the address of a variable that the object defines for others, or 0. */
static uintptr_t variable(const struct mp_object *o, const char *name, size_t *size)
{
	const Elf64_Sym *symbol = mp_object_find(o, name);
	uintptr_t at;

	if (!symbol || symbol->st_shndx == SHN_UNDEF ||
	    ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
		return 0;
	at = o->info->dlpi_addr + symbol->st_value;
	*size = symbol->st_size;
	return *size >= sizeof(uintptr_t) && mp_object_has(o, at, *size, PF_R) &&
	       at % sizeof(uintptr_t) == 0 ? at : 0;
}

static const struct mp_python_layout *layout_of(uint64_t version, size_t size)
{
	if (version >> 16 == python_3_11.version)
		return &python_3_11;
	return declares(python.runtime, size) ? &declared : NULL;
}

/* Takes the object's interpreter, if it has one. */
static bool take_object(const struct mp_object *o)
{
	size_t size, runtime_size, type_size;
	uintptr_t runtime = variable(o, "_PyRuntime", &runtime_size), version;
	uintptr_t type = variable(o, "PyCode_Type", &type_size);

	if (!runtime || !type)
		return false;
	version = variable(o, "Py_Version", &size);
	python.runtime = runtime;
	python.code_type = type;
	python.layout = layout_of(version ? *(const uint64_t *)version : 0, runtime_size);
	python.get_allocator = (void (*)(int, void *))
		mp_object_function(o, "PyMem_GetAllocator");
	python.set_allocator = (void (*)(int, void *))
		mp_object_function(o, "PyMem_SetAllocator");
	__atomic_store_n(&is_met, true, __ATOMIC_RELEASE);
	return true;
}

static int search_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct mp_object o;

	(void)size;
	(void)arg;
	return mp_object_read(&o, info) && take_object(&o);
}

/* Returns the interpreter that was met, or NULL. Can be called at any time. */
const struct mp_python *mp_python_known(void)
{
	return __atomic_load_n(&is_met, __ATOMIC_ACQUIRE) ? &python : NULL;
}

/**
 * mp_python_find() - search all loaded binaries for an interpreter
 *
 * Only at start: the dynamic linker's lock is taken. Return: the interpreter, or NULL.
 */
const struct mp_python *mp_python_find(void)
{
	if (!mp_python_known())
		dl_iterate_phdr(search_object, NULL);
	return mp_python_known();
}

/**
 * mp_python_meet() - look for an interpreter in a binary that was loaded later
 * @info: its address and program headers
 */
void mp_python_meet(const struct dl_phdr_info *info)
{
	static bool is_busy;
	struct mp_object o;

	if (mp_python_known() || __atomic_exchange_n(&is_busy, true, __ATOMIC_ACQUIRE))
		return;
	if (!mp_python_known() && mp_object_read(&o, info))
		take_object(&o);
	__atomic_store_n(&is_busy, false, __ATOMIC_RELEASE);
}
