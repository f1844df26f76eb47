/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * loader-hooks.h: replaces dlopen() and dlsym() in objects that are redirected.
 */
#ifndef MEMPROF_LOADER_HOOKS_H
#define MEMPROF_LOADER_HOOKS_H

#pragma GCC visibility push(hidden)

/*
 * The replaced functions, and what is called after an object was loaded. Written before
 * a slot leads to the functions below.
 */
extern struct mp_loader {
	void (*loaded)(void);
	void *(*dlopen)(const char *file, int flags);
	void *(*dlsym)(void *handle, const char *name);
} mp_loader;

void *mp_hook_dlopen(const char *file, int flags);
void *mp_hook_dlsym(void *handle, const char *name);

#pragma GCC visibility pop

#endif
