// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * library.c: finds libmemprof in this process, or loads it.
 *
 * Two copies in a process would count twice. So a library that was preloaded, linked,
 * injected, or opened by another interpreter is found first, by its SONAME.
 */
#include "library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define SONAME	"libmemprof.so.0"

static const struct {
	const char *name;
	size_t at;
} functions[] = {
	{ "memprof_start", offsetof(struct library, start) },
	{ "memprof_stop", offsetof(struct library, stop) },
	{ "memprof_shutdown", offsetof(struct library, shutdown) },
	{ "memprof_mark", offsetof(struct library, mark) },
	{ "memprof_attach", offsetof(struct library, attach) },
	{ "memprof_detach", offsetof(struct library, detach) },
	{ "memprof_get_stats", offsetof(struct library, get_stats) },
	{ "memprof_get_state", offsetof(struct library, get_state) },
	{ "memprof_get_region", offsetof(struct library, get_region) },
	{ "memprof_get_sequence", offsetof(struct library, get_sequence) },
	{ "memprof_exclude", offsetof(struct library, exclude) },
};

/* Returns false if a function is missing: the library is of an older version. */
static bool find_functions(struct library *library, void *handle)
{
	void *function;
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		function = dlsym(handle, functions[i].name);
		if (!function)
			return false;
		memcpy((char *)library + functions[i].at, &function, sizeof(function));
	}
	return true;
}

/**
 * library_open() - find the library in this process, or load it
 * @library: out: its functions
 * @path: file to load if the process has none
 * @why: out: why it cannot be used; valid until the next call of dlopen()
 */
bool library_open(struct library *library, const char *path, const char **why)
{
	void *handle = dlopen(SONAME, RTLD_NOW | RTLD_NOLOAD);

	if (!handle)
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		*why = dlerror();
		return false;
	}
	if (!find_functions(library, handle)) {
		*why = "the libmemprof in this process is of an older version";
		dlclose(handle);
		return false;
	}
	library->handle = handle;
	return true;
}
