// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * symbols.c: finds the names of the functions in stacks with dladdr().
 *
 * dladdr() reads no debug information, so there are no line numbers. memprofctl finds
 * more names when it reads the region. Do not call this in a signal handler, nor in
 * two threads at once. A name that is not found stays NULL.
 */
#include "fork-watch.h"
#include "memprof_internal.h"
#include "next.h"

#include <dlfcn.h>
#include <string.h>

static char *copy_text(const char *s)
{
	size_t size = s ? strlen(s) + 1 : 0;
	char *p = size ? mp_next.malloc(size) : NULL;

	return p ? memcpy(p, s, size) : NULL;
}

static bool resolve_stack(StackEntry *e)
{
	size_t n = e->depth ? e->depth : 1;
	Dl_info info;
	int i;

	e->function_names = mp_next.calloc(n, sizeof(char *));
	e->file_names = mp_next.calloc(n, sizeof(char *));
	e->line_numbers = mp_next.calloc(n, sizeof(int));
	if (!e->function_names || !e->file_names || !e->line_numbers) {
		mp_next.free(e->function_names);
		mp_next.free(e->file_names);
		mp_next.free(e->line_numbers);
		return false;
	}
	for (i = 0; i < e->depth; i++) {
		if (!dladdr((void *)(e->frames[i] - 1), &info))
			continue;
		e->function_names[i] = copy_text(info.dli_sname);
		e->file_names[i] = copy_text(info.dli_fname);
	}
	__atomic_fetch_or(&e->flags, STACK_FLAG_RESOLVED, __ATOMIC_RELEASE);
	return true;
}

MEMPROF_API int memprof_resolve_symbols(void)
{
	uint32_t i, nr = mp_process_claim() ? g_memprof.stack_count : 0;
	int resolved = 0;

	for (i = 0; i < nr; i++)
		if (stack_table_get(i) &&
		    !(g_memprof.stack_table[i].flags & STACK_FLAG_RESOLVED))
			resolved += resolve_stack(&g_memprof.stack_table[i]);
	return resolved;
}
