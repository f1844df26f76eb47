// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * python-runtime.c: finds the Python interpreter in this process, by its symbols.
 *
 * An interpreter whose layout is not known is met, but not read. All that is read is
 * read by host-memory.c.
 *
 * Cost: a search in a hash table per binary, at start and for each new binary of a
 * stack, until an interpreter is met.
 */
#include "python-runtime.h"

#include "loaded-object.h"
#include "host-memory.h"

#include <string.h>

static struct mp_python_layout declared;
static struct mp_python python;
static bool is_met;

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
	const struct mp_python_layout *known = mp_python_layout_of(version);
	char begin[MP_PYTHON_DECLARED];

	if (known)
		return known;
	return size >= sizeof(begin) && mp_host_read(python.runtime, begin, sizeof(begin)) &&
	       mp_python_layout_declared(begin, &declared) ? &declared : NULL;
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
