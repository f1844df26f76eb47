// SPDX-License-Identifier: GPL-2.0-only
/*
 * examine: finds allocator functions and their probe points
 *
 * One pass over the symbols collects at most MAX_CANDIDATES functions. Then
 * each layer is kept or dropped as a whole: if only a part of an allocator were
 * probed, some frees would be missed. It takes milliseconds for a C library,
 * and a second for the largest binaries.
 */
#include "examine.h"
#include "probe-point.h"
#include "python-point.h"
#include "usdt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CANDIDATES	256

struct candidate {
	struct mp_symbol symbol;
	struct mp_function function;
	char name[MP_POINT_NAME_SIZE];
};

struct search {
	const struct mp_user_functions *user;
	struct candidate list[MAX_CANDIDATES];
	size_t nr;
	bool hints_rust;
	unsigned int customs;
	char ifunc[MP_POINT_NAME_SIZE];
};

/*
 * Allocators that divide larger blocks. They cannot be probed without knowledge
 * of the program, so a remark names them.
 */
static const struct {
	const char *symbol;
	const char *remark;
	bool sampled;
} customs[] = {
	{ "PyObject_Malloc",
	  "Python serves blocks of up to 512 bytes from arenas of its own: record COMMAND and --inject sample them, with the functions of Python",
	  true },
	{ "zend_mm_alloc",
	  "PHP allocates from a heap of its own: USE_ZEND_ALLOC=0 shows each block", false },
	{ "_emalloc",
	  "PHP allocates from a heap of its own: USE_ZEND_ALLOC=0 shows each block", false },
	{ "MemoryContextAlloc",
	  "PostgreSQL allocates from memory contexts: the blocks seen here are theirs. SELECT pg_log_backend_memory_contexts(PID) lists those of a backend", false },
	{ "ngx_palloc",
	  "nginx allocates from pools: the blocks seen here are whole pools", false },
	{ "apr_palloc",
	  "APR allocates from pools: the blocks seen here are whole pools", false },
	{ "caml_alloc_shr",
	  "OCaml's heap is its own: only what it takes from malloc is seen", false },
	{ "runtime.mallocgc",
	  "Go's heap is its own: DELTA and TOUCHED show how it grows, and go tool pprof -top -lines 'http://ADDRESS/debug/pprof/heap?seconds=30' who makes what stays in it", false },
	{ "JNI_CreateJavaVM",
	  "Java's heap is its own: DELTA and TOUCHED show how it grows, and memprofctl help java | sh -s PID which lines made what stays in it", false },
};

#define NR_CUSTOMS	(sizeof(customs) / sizeof(customs[0]))

/*
 * Adds a function. If a function has several names, the one with the lowest
 * rank is used.
 */
static void add_candidate(struct search *search, const struct mp_symbol *symbol,
			  const struct mp_function *function)
{
	struct candidate *found = NULL;
	size_t i;

	for (i = 0; i < search->nr && !found; i++)
		if (search->list[i].symbol.address == symbol->address)
			found = &search->list[i];
	if (found && found->function.rank <= function->rank)
		return;
	if (!found && search->nr == MAX_CANDIDATES)
		return;
	if (!found)
		found = &search->list[search->nr++];
	found->symbol = *symbol;
	found->function = *function;
	snprintf(found->name, sizeof(found->name), "%.*s",
		 (int)strcspn(symbol->name, "@"), symbol->name);
}

static bool examine_symbol(void *context, const struct mp_symbol *symbol)
{
	struct search *search = context;
	struct mp_function function;
	size_t i;

	search->hints_rust |= mp_function_hints_rust(symbol->name);
	for (i = 0; i < NR_CUSTOMS; i++)
		if (!strcmp(symbol->name, customs[i].symbol))
			search->customs |= 1U << i;
	if (!mp_function_find(search->user, symbol->name, &function))
		return true;
	if (!symbol->is_ifunc)
		add_candidate(search, symbol, &function);
	else
		snprintf(search->ifunc, sizeof(search->ifunc), "%s",
			 symbol->name);
	return true;
}

static size_t count_layer(const struct search *search, enum mp_layer layer)
{
	size_t i, nr = 0;

	for (i = 0; i < search->nr; i++)
		nr += search->list[i].function.layer == layer;
	return nr;
}

static void drop_layer(struct search *search, enum mp_layer layer)
{
	size_t i, nr = 0;

	for (i = 0; i < search->nr; i++)
		if (search->list[i].function.layer != layer)
			search->list[nr++] = search->list[i];
	search->nr = nr;
}

/*
 * Returns true if an operator new calls another allocator function of this
 * file.
 */
static bool new_calls_malloc(const struct search *search,
			     const struct mp_chooser *chooser,
			     const struct mp_elf *elf)
{
	const struct candidate *one;
	uint64_t targets[MAX_CANDIDATES];
	size_t i, nr = 0;

	for (i = 0; i < search->nr; i++)
		if (search->list[i].function.layer != MP_LAYER_CXX)
			targets[nr++] = search->list[i].symbol.address;
	for (i = 0; i < search->nr; i++) {
		one = &search->list[i];
		if (one->function.layer == MP_LAYER_CXX &&
		    one->function.func == MEMPROF_FUNC_MALLOC &&
		    mp_chooser_calls(chooser, elf, &one->symbol, targets, nr))
			return true;
	}
	return false;
}

/* operator delete calls free, which is enough: the callsite of a free is not kept. */
static void drop_deletes(struct search *search)
{
	size_t i, nr = 0;

	for (i = 0; i < search->nr; i++)
		if (search->list[i].function.layer != MP_LAYER_CXX ||
		    search->list[i].function.func != MEMPROF_FUNC_FREE)
			search->list[nr++] = search->list[i];
	search->nr = nr;
}

static void decide_cxx(struct search *search, const struct mp_chooser *chooser,
		       const struct mp_elf *elf, struct mp_scan *scan)
{
	size_t nr = count_layer(search, MP_LAYER_CXX);

	if (!nr)
		return;
	/*
	 * drop operator new if it is alone, or if it calls the malloc in the
	 * same binary
	 */
	if (nr < search->nr && !new_calls_malloc(search, chooser, elf))
		return;
	if (search->user && search->user->operator_new) {
		drop_deletes(search);
		return;
	}
	mp_scan_note(scan, "%s; --alloc-fn _Znwm=malloc probes it all the same",
		     nr == search->nr ?
		     "operator new is defined without a malloc: taken to call malloc, and not probed" :
		     "operator new calls malloc, and is not probed itself");
	drop_layer(search, MP_LAYER_CXX);
}

static void warn_of_custom(struct mp_scan *scan, size_t i)
{
	const uint32_t nr = scan->nr_remarks;

	mp_scan_warn(scan, "%s", customs[i].remark);
	if (scan->nr_remarks > nr)
		scan->remarks[nr].sampled = customs[i].sampled;
}

static void decide_rust(struct search *search, struct mp_scan *scan)
{
	size_t nr = count_layer(search, MP_LAYER_RUST);

	if (nr == 4)
		return;
	if (nr)
		mp_scan_warn(scan, "only %zu of Rust's 4 allocator functions are left (LTO inlined the others, or they are not called): malloc beneath them is probed instead, and callsites are then inside Rust's library",
			     nr);
	else if (search->hints_rust)
		mp_scan_warn(scan, "a Rust program whose allocator functions were inlined (LTO): malloc beneath them is probed instead, and callsites may be inside Rust's library");
	drop_layer(search, MP_LAYER_RUST);
}

static void add_remarks(const struct search *search, const struct mp_elf *elf,
			size_t nr_symbols, struct mp_scan *scan)
{
	size_t i;

	for (i = 0; i < NR_CUSTOMS; i++)
		if (search->customs & 1U << i)
			warn_of_custom(scan, i);
	if (search->ifunc[0])
		mp_scan_warn(scan, "%s is chosen when the program starts (IFUNC): not probed",
			     search->ifunc);
	if (elf->is_static && !nr_symbols)
		mp_scan_warn(scan, "statically linked and without symbols: its allocator cannot be found (is there a debug package?)");
	else if (elf->is_static && !search->nr && !search->customs)
		mp_scan_warn(scan, "statically linked, and no symbol has the name of a known allocator (--alloc-fn names others)");
	if (search->nr == MAX_CANDIDATES)
		mp_scan_warn(scan, "more than %d allocator functions: the rest is not probed",
			     MAX_CANDIDATES);
}

static void add_point(const struct candidate *candidate,
		   const struct mp_chooser *chooser, const struct mp_elf *elf,
		      struct mp_scan *scan)
{
	struct mp_point point = {
		.func = candidate->function.func,
		.layer = candidate->function.layer,
	};
	const char *why = mp_chooser_point(chooser, elf, &candidate->symbol,
					   &point);

	memcpy(point.name, candidate->name, sizeof(point.name));
	if (why)
		mp_scan_warn(scan, "%s cannot be probed: %s", point.name, why);
	else
		mp_scan_point(scan, &point);
}

static void search_elf(struct search *search, const struct mp_chooser *chooser,
		       const struct mp_elf *elf, struct mp_scan *scan)
{
	size_t i, nr = mp_elf_symbols(elf, examine_symbol, search);

	decide_rust(search, scan);
	decide_cxx(search, chooser, elf, scan);
	add_remarks(search, elf, nr, scan);
	for (i = 0; i < search->nr; i++)
		add_point(&search->list[i], chooser, elf, scan);
	mp_usdt_find(chooser, elf, scan);
	mp_python_point_find(elf, &scan->python);
	mp_scan_sort(scan);
}

const char *mp_examine(const struct mp_user_functions *user, int fd,
		       const char *path, struct mp_scan *scan)
{
	struct mp_chooser chooser;
	struct search *search;
	struct mp_elf elf;
	const char *why;

	memset(scan, 0, sizeof(*scan));
	why = mp_elf_open(&elf, fd, path);
	if (why)
		return why;
	search = calloc(1, sizeof(*search));
	scan->is_static = elf.is_static;
	if (search && mp_chooser_open(&chooser, elf.machine)) {
		search->user = user;
		search_elf(search, &chooser, &elf, scan);
		mp_chooser_close(&chooser);
	} else {
		why = "out of memory";
	}
	free(search);
	mp_elf_close(&elf);
	return why;
}
