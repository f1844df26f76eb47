// SPDX-License-Identifier: GPL-2.0-only
/*
 * inject-target: reads the memory and the modules of a process
 *
 * A process with 50 modules costs 10 ms. Nothing is stopped meanwhile, so the process
 * may load modules that are not in the list: they count as code of the program.
 */
#include "inject-target.h"
#include "array.h"
#include "maps.h"
#include "module-symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MODULES	4096

/* Bytes of the C library's code that are searched at once, and that are searched. */
#define TEXT_PIECE	(64UL << 10)
#define MAX_TEXT	(64UL << 20)

/* How often and how long to wait for a program that has only begun */
#define BEGIN_TRIES	20
#define BEGIN_US	10000

#define OTHER_WAY	"LD_PRELOAD, or record --alloc exact, may work"

const struct mp_inject_module *
mp_target_module_at(const struct mp_inject_target *target, uint64_t address)
{
	size_t i;

	for (i = 0; i < target->nr_modules; i++)
		if (address >= target->modules[i].start &&
		    address < target->modules[i].end)
			return &target->modules[i];
	return NULL;
}

uint64_t mp_target_function(const struct mp_inject_target *target,
			    enum mp_wanted wanted)
{
	size_t i;

	if (target->libc->wanted[wanted])
		return target->libc->wanted[wanted];
	/* before 2.34 glibc had a libdl of its own */
	for (i = 0; i < target->nr_modules; i++)
		if (strstr(target->modules[i].text.path, "/libdl"))
			return target->modules[i].wanted[wanted];
	return 0;
}

/* Lines with one file belong together; the first one has the headers. */
static bool continues(const struct mp_inject_module *module,
		      const struct mp_exec_mapping *mapping)
{
	return mapping->offset && module->text.inode == mapping->inode &&
	       module->text.dev == mapping->dev;
}

static int take_line(void *context, pid_t pid, const struct mp_map_line *line)
{
	struct mp_inject_target *target = context;
	struct mp_map_line as_text = *line;
	struct mp_exec_mapping mapping;
	struct mp_inject_module *last = target->nr_modules ?
		&target->modules[target->nr_modules - 1] : NULL;

	(void)pid;
	/* read a line of data like one of text: the file is what counts */
	as_text.permissions[2] = 'x';
	if (!mp_exec_mapping_of(&as_text, &mapping))
		return 0;
	if (!last || !continues(last, &mapping)) {
		if (mapping.offset || target->nr_modules == MAX_MODULES)
			return 0;
		if (target->nr_modules == target->max_modules &&
		    !mp_array_grow(&target->modules, &target->max_modules,
				   sizeof(*last)))
			return -ENOMEM;
		last = &target->modules[target->nr_modules++];
		memset(last, 0, sizeof(*last));
		last->start = mapping.start;
		last->text = mapping;
	}
	last->end = mapping.end;
	if (mp_map_is_executable(line))
		last->text = mapping;
	return 0;
}

/* The program, not one of its libraries */
static bool is_program(const struct mp_inject_target *target,
		       const struct mp_inject_module *module)
{
	char path[32], program[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)target->pid);
	len = readlink(path, program, sizeof(program) - 1);
	if (len < 0)
		return false;
	program[len] = '\0';
	return !strcmp(program, module->text.path);
}

static enum mp_module_kind find_kind(const struct mp_inject_target *target,
				     const struct mp_inject_module *module)
{
	const uint64_t *wanted = module->wanted;

	if (wanted[MP_WANTED_GLIBC])
		return MP_MODULE_GLIBC;
	if (wanted[MP_WANTED_MUSL])
		return MP_MODULE_MUSL;
	if (wanted[MP_WANTED_LOADER])
		return MP_MODULE_LOADER;
	if (wanted[MP_WANTED_ATTACH] || wanted[MP_WANTED_MARK])
		return MP_MODULE_MEMPROF;
	if (!wanted[MP_WANTED_MALLOC] || !wanted[MP_WANTED_FREE])
		return MP_MODULE_OTHER;
	return is_program(target, module) ? MP_MODULE_PROGRAM_ALLOCATOR :
	       MP_MODULE_ALLOCATOR;
}

static void examine_modules(struct mp_inject_target *target)
{
	struct mp_inject_module *module;
	size_t i;

	for (i = 0; i < target->nr_modules; i++) {
		module = &target->modules[i];
		mp_module_read_symbols(target, module);
		module->kind = find_kind(target, module);
		if (module->kind == MP_MODULE_GLIBC || module->kind == MP_MODULE_MUSL)
			target->libc = module;
		if (module->kind == MP_MODULE_MEMPROF &&
		    (!target->memprof || module->wanted[MP_WANTED_ATTACH]))
			target->memprof = module;
	}
}

/* Pieces overlap by the size of a gadget. Both are near the start of the code in glibc. */
static void find_gadgets(struct mp_inject_target *target)
{
	const struct mp_exec_mapping *text = &target->libc->text;
	struct mp_machine_gadgets *gadgets = &target->gadgets;
	unsigned char *piece = malloc(TEXT_PIECE + MP_GADGET_SIZE);
	uint64_t at, size;

	for (at = text->start; piece && at < text->end && at < text->start + MAX_TEXT &&
	     (!gadgets->system_call || !gadgets->go_home); at += TEXT_PIECE) {
		size = TEXT_PIECE + MP_GADGET_SIZE;
		if (text->end - at < size)
			size = text->end - at;
		if (mp_target_get(target, at, piece, size))
			target->machine->find_gadgets(gadgets, at, piece, size);
	}
	free(piece);
}

static int check_libc(const struct mp_inject_target *target, struct mp_diag *diag)
{
	int pid = (int)target->pid;

	if (!target->nr_modules)
		return mp_diag_fail(diag, 0, NULL, "process %d has no program", pid);
	if (!target->libc && target->nr_modules == 1)
		return mp_diag_fail(diag, 0, "without --inject, record follows it from outside, and says how to see the heap of Go",
				    "process %d is a static program: it cannot load a library",
				    pid);
	if (!target->libc)
		return mp_diag_fail(diag, 0, "record --alloc exact may follow it",
				    "process %d has another C library than glibc or musl",
				    pid);
	if (!mp_target_function(target, MP_WANTED_ERRNO) ||
	    (!mp_target_function(target, MP_WANTED_DLOPEN) &&
	     !mp_target_function(target, MP_WANTED_OLD_DLOPEN)))
		return mp_diag_fail(diag, 0, OTHER_WAY,
				    "the C library of process %d has no dlopen", pid);
	if (!target->gadgets.system_call || !target->gadgets.go_home)
		return mp_diag_fail(diag, 0, OTHER_WAY,
				    "the C library of process %d is unknown: code for system calls was not found",
				    pid);
	return 0;
}

/* Whether only the dynamic linker runs so far, which will load the C library. */
static bool begins(const struct mp_inject_target *target)
{
	size_t i;

	for (i = 0; i < target->nr_modules && !target->libc; i++)
		if (target->modules[i].kind == MP_MODULE_LOADER)
			return true;
	return false;
}

int mp_target_read(struct mp_inject_target *target, struct mp_diag *diag)
{
	int err, tries = BEGIN_TRIES;

	do {
		target->nr_modules = 0;
		err = mp_maps_each(target->pid, take_line, target);
		if (err)
			return mp_diag_fail(diag, err, NULL,
					    "cannot read the mappings of process %d",
					    (int)target->pid);
		examine_modules(target);
	} while (begins(target) && --tries && !usleep(BEGIN_US));
	if (target->libc)
		find_gadgets(target);
	return check_libc(target, diag);
}
