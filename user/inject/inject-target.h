/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inject-target: the process that gets the library: its memory and its modules
 */
#ifndef MP_INJECT_TARGET_H
#define MP_INJECT_TARGET_H

#include "diag.h"
#include "exec-mapping.h"
#include "machine.h"

/* Functions that an injection looks for, and those that tell modules apart. */
enum mp_wanted {
	MP_WANTED_DLOPEN,
	MP_WANTED_OLD_DLOPEN,		/* __libc_dlopen_mode() of glibc before 2.34 */
	MP_WANTED_DLSYM,
	MP_WANTED_DLERROR,
	MP_WANTED_ERRNO,
	MP_WANTED_ATTACH,
	MP_WANTED_DETACH,
	MP_WANTED_MARK,
	MP_WANTED_MALLOC,
	MP_WANTED_FREE,
	MP_WANTED_GLIBC,
	MP_WANTED_MUSL,
	MP_WANTED_LOADER,
	MP_NR_WANTED
};

/* What a module is, as far as its code may be in a state that forbids dlopen(). */
enum mp_module_kind {
	MP_MODULE_OTHER,
	MP_MODULE_GLIBC,
	MP_MODULE_MUSL,
	MP_MODULE_LOADER,
	MP_MODULE_ALLOCATOR,
	MP_MODULE_PROGRAM_ALLOCATOR,	/* the program itself has a malloc() */
	MP_MODULE_MEMPROF,
};

/**
 * struct mp_inject_module - a program or library in the target's memory
 * @start: first address
 * @end: first address after it
 * @bias: what is added to the addresses in its file
 * @data_end: end of its data, .bss included; 0: it has none
 * @has_symbols: its symbol table could be read
 * @kind: what it is
 * @wanted: addresses of the wanted functions that it defines, or 0
 * @text: its executable mapping; its path is empty if there is none
 */
struct mp_inject_module {
	uint64_t start, end, bias, data_end;
	bool has_symbols;
	enum mp_module_kind kind;
	uint64_t wanted[MP_NR_WANTED];
	struct mp_exec_mapping text;
};

/**
 * struct mp_inject_target - the process
 * @pid: its id
 * @memory: /proc/PID/mem, open for reading and writing. It is locked (flock), so that
 *	two injections do not meet in one process
 * @machine: its architecture
 * @modules: sorted by address
 * @nr_modules: number of @modules
 * @max_modules: room in @modules
 * @libc: the C library among @modules
 * @memprof: libmemprof among @modules, or NULL
 * @gadgets: in the C library
 */
struct mp_inject_target {
	pid_t pid;
	int memory;
	const struct mp_machine *machine;
	struct mp_inject_module *modules;
	size_t nr_modules, max_modules;
	const struct mp_inject_module *libc, *memprof;
	struct mp_machine_gadgets gadgets;
};

/** mp_target_get - read memory of the target */
bool mp_target_get(const struct mp_inject_target *target, uint64_t address, void *data,
		   size_t size);

/** mp_target_put - write memory of the target */
bool mp_target_put(const struct mp_inject_target *target, uint64_t address,
		   const void *data, size_t size);

/**
 * mp_target_read - find out what the target consists of
 * @target: in: @pid, @memory and @machine; out: all other members
 *
 * All of it is read from the target's memory, not from files: so it is right for files
 * that were replaced or deleted, and in every mount namespace.
 *
 * Return: 0, or a negative errno with the reason in @diag: static programs, other C
 * libraries.
 */
int mp_target_read(struct mp_inject_target *target, struct mp_diag *diag);

/** mp_target_module_at - find the module that has an address, or NULL */
const struct mp_inject_module *
mp_target_module_at(const struct mp_inject_target *target, uint64_t address);

/** mp_target_function - find a function of the C library; 0: it has none */
uint64_t mp_target_function(const struct mp_inject_target *target,
			    enum mp_wanted wanted);

#endif
