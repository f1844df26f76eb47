// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * loader-hooks.c: notices the libraries that a running program opens, so that their
 * calls are redirected, too. Only libmemprof.so contains it.
 *
 * dlopen() looks at its caller where the name has no slash: it searches the folders that
 * the caller's binary names. Then this library must jump to it, and cannot wait for its
 * end; the new library is redirected at the next call of dlopen() or dlsym(). Programs
 * look up a function right after they have opened a library. What such a library's
 * constructors allocate is not counted. No call of malloc() makes a pass: its thread
 * may hold a lock that a library's constructor waits for.
 */
#include "loader-hooks.h"


#include <stdbool.h>
#include <string.h>

struct mp_loader mp_loader;

static bool is_pending;

static void search_opened(void)
{
	if (__atomic_exchange_n(&is_pending, false, __ATOMIC_RELAXED))
		mp_loader.loaded();
}

/* If the call fails, it is made again from its caller, which may search more folders. */
void *mp_hook_dlopen(const char *file, int flags)
{
	void *handle = NULL;

	search_opened();
	if (file && strchr(file, '/') && !strchr(file, '$'))
		handle = mp_loader.dlopen(file, flags);
	if (handle) {
		mp_loader.loaded();
		return handle;
	}
	__atomic_store_n(&is_pending, true, __ATOMIC_RELAXED);
	return mp_loader.dlopen(file, flags);
}

/* dlsym() looks at its caller, too (RTLD_NEXT): jump to it. */
void *mp_hook_dlsym(void *handle, const char *name)
{
	search_opened();
	return mp_loader.dlsym(handle, name);
}
