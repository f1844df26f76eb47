// SPDX-License-Identifier: GPL-2.0-only
/*
 * alloc-function: matches symbol names against tables of allocator names
 *
 * The functions are called for each symbol of a binary. Nearly all names are
 * refused after comparing their first letters. The functions cannot fail.
 */
#include "alloc-function.h"

#include <string.h>

struct entry {
	const char *name;
	uint32_t func;
};

/* Names of the C library; other libraries have the same names with a prefix. */
static const struct entry plain[] = {
	{ "malloc", MEMPROF_FUNC_MALLOC },
	{ "free", MEMPROF_FUNC_FREE },
	{ "calloc", MEMPROF_FUNC_CALLOC },
	{ "realloc", MEMPROF_FUNC_REALLOC },
	{ "reallocarray", MEMPROF_FUNC_REALLOCARRAY },
	{ "posix_memalign", MEMPROF_FUNC_POSIX_MEMALIGN },
	{ "aligned_alloc", MEMPROF_FUNC_MEMALIGN },
	{ "memalign", MEMPROF_FUNC_MEMALIGN },
	{ "valloc", MEMPROF_FUNC_MALLOC },
	{ "pvalloc", MEMPROF_FUNC_MALLOC },
	{ "free_sized", MEMPROF_FUNC_FREE },
	{ "free_aligned_sized", MEMPROF_FUNC_FREE },
	{ "cfree", MEMPROF_FUNC_FREE },
	{ 0 },
};

static const struct entry jemalloc[] = {
	{ "mallocx", MEMPROF_FUNC_MALLOC },
	{ "rallocx", MEMPROF_FUNC_REALLOC },
	{ "dallocx", MEMPROF_FUNC_FREE },
	{ "sdallocx", MEMPROF_FUNC_FREE },
	{ 0 },
};

static const struct entry tcmalloc[] = {
	{ "malloc_skip_new_handler", MEMPROF_FUNC_MALLOC },
	{ "new", MEMPROF_FUNC_MALLOC },
	{ "new_nothrow", MEMPROF_FUNC_MALLOC },
	{ "new_aligned", MEMPROF_FUNC_MALLOC },
	{ "new_aligned_nothrow", MEMPROF_FUNC_MALLOC },
	{ "newarray", MEMPROF_FUNC_MALLOC },
	{ "newarray_nothrow", MEMPROF_FUNC_MALLOC },
	{ "newarray_aligned", MEMPROF_FUNC_MALLOC },
	{ "newarray_aligned_nothrow", MEMPROF_FUNC_MALLOC },
	{ "delete", MEMPROF_FUNC_FREE },
	{ "delete_nothrow", MEMPROF_FUNC_FREE },
	{ "delete_sized", MEMPROF_FUNC_FREE },
	{ "delete_aligned", MEMPROF_FUNC_FREE },
	{ "delete_aligned_nothrow", MEMPROF_FUNC_FREE },
	{ "delete_sized_aligned", MEMPROF_FUNC_FREE },
	{ "deletearray", MEMPROF_FUNC_FREE },
	{ "deletearray_nothrow", MEMPROF_FUNC_FREE },
	{ "deletearray_sized", MEMPROF_FUNC_FREE },
	{ "deletearray_aligned", MEMPROF_FUNC_FREE },
	{ "deletearray_aligned_nothrow", MEMPROF_FUNC_FREE },
	{ "deletearray_sized_aligned", MEMPROF_FUNC_FREE },
	{ 0 },
};

/*
 * mi_heap_*() have the heap as first argument, so they are not probed. The
 * compiler may have inlined probed functions into them. Then the blocks they
 * allocate are missed, and frees of those blocks are unknown. In mimalloc 3 the
 * program's strdup() and strndup() are among them.
 */
static const struct entry mimalloc[] = {
	{ "zalloc", MEMPROF_FUNC_MALLOC },
	{ "malloc_small", MEMPROF_FUNC_MALLOC },
	{ "zalloc_small", MEMPROF_FUNC_MALLOC },
	{ "mallocn", MEMPROF_FUNC_CALLOC },
	{ "reallocn", MEMPROF_FUNC_REALLOCARRAY },
	{ "reallocf", MEMPROF_FUNC_REALLOC },
	{ "rezalloc", MEMPROF_FUNC_REALLOC },
	{ "recalloc", MEMPROF_FUNC_REALLOCARRAY },
	{ "malloc_aligned", MEMPROF_FUNC_MALLOC },
	{ "zalloc_aligned", MEMPROF_FUNC_MALLOC },
	{ "calloc_aligned", MEMPROF_FUNC_CALLOC },
	{ "realloc_aligned", MEMPROF_FUNC_REALLOC },
	{ "free_size", MEMPROF_FUNC_FREE },
	{ "free_aligned", MEMPROF_FUNC_FREE },
	{ "free_size_aligned", MEMPROF_FUNC_FREE },
	{ "new", MEMPROF_FUNC_MALLOC },
	{ "new_nothrow", MEMPROF_FUNC_MALLOC },
	{ "new_aligned", MEMPROF_FUNC_MALLOC },
	{ "new_aligned_nothrow", MEMPROF_FUNC_MALLOC },
	{ "new_n", MEMPROF_FUNC_CALLOC },
	{ "new_realloc", MEMPROF_FUNC_REALLOC },
	{ 0 },
};

/* _ZnwmPv, placement new, is not listed because it does not allocate. */
static const struct entry cxx[] = {
	{ "_Znwm", MEMPROF_FUNC_MALLOC },
	{ "_Znam", MEMPROF_FUNC_MALLOC },
	{ "_ZnwmRKSt9nothrow_t", MEMPROF_FUNC_MALLOC },
	{ "_ZnamRKSt9nothrow_t", MEMPROF_FUNC_MALLOC },
	{ "_ZnwmSt11align_val_t", MEMPROF_FUNC_MALLOC },
	{ "_ZnamSt11align_val_t", MEMPROF_FUNC_MALLOC },
	{ "_ZnwmSt11align_val_tRKSt9nothrow_t", MEMPROF_FUNC_MALLOC },
	{ "_ZnamSt11align_val_tRKSt9nothrow_t", MEMPROF_FUNC_MALLOC },
	{ "_ZdlPv", MEMPROF_FUNC_FREE },
	{ "_ZdaPv", MEMPROF_FUNC_FREE },
	{ "_ZdlPvm", MEMPROF_FUNC_FREE },
	{ "_ZdaPvm", MEMPROF_FUNC_FREE },
	{ "_ZdlPvRKSt9nothrow_t", MEMPROF_FUNC_FREE },
	{ "_ZdaPvRKSt9nothrow_t", MEMPROF_FUNC_FREE },
	{ "_ZdlPvSt11align_val_t", MEMPROF_FUNC_FREE },
	{ "_ZdaPvSt11align_val_t", MEMPROF_FUNC_FREE },
	{ "_ZdlPvmSt11align_val_t", MEMPROF_FUNC_FREE },
	{ "_ZdaPvmSt11align_val_t", MEMPROF_FUNC_FREE },
	{ "_ZdlPvSt11align_val_tRKSt9nothrow_t", MEMPROF_FUNC_FREE },
	{ "_ZdaPvSt11align_val_tRKSt9nothrow_t", MEMPROF_FUNC_FREE },
	{ 0 },
};

static const struct entry rust[] = {
	{ "__rust_alloc", MEMPROF_FUNC_MALLOC },
	{ "__rust_alloc_zeroed", MEMPROF_FUNC_MALLOC },
	{ "__rust_realloc", MEMPROF_FUNC_RUST_REALLOC },
	{ "__rust_dealloc", MEMPROF_FUNC_FREE },
	{ 0 },
};

static const struct {
	const char *prefix;
	enum mp_layer layer;
	const struct entry *entries;
} tables[] = {
	{ "", MP_LAYER_MALLOC, plain },
	{ "", MP_LAYER_JEMALLOC, jemalloc },
	{ "", MP_LAYER_CXX, cxx },
	{ "", MP_LAYER_RUST, rust },
	{ "je_", MP_LAYER_JEMALLOC, plain },
	{ "je_", MP_LAYER_JEMALLOC, jemalloc },
	{ "_rjem_je_", MP_LAYER_JEMALLOC, plain },
	{ "_rjem_", MP_LAYER_JEMALLOC, plain },
	{ "_rjem_", MP_LAYER_JEMALLOC, jemalloc },
	{ "tc_", MP_LAYER_TCMALLOC, plain },
	{ "tc_", MP_LAYER_TCMALLOC, tcmalloc },
	{ "mi_", MP_LAYER_MIMALLOC, plain },
	{ "mi_", MP_LAYER_MIMALLOC, mimalloc },
};

#define NR_TABLES	(sizeof(tables) / sizeof(tables[0]))

/* A symbol's name without its version. */
struct word {
	const char *text;
	size_t len;
};

static bool equals(struct word word, const char *name)
{
	return !strncmp(word.text, name, word.len) && !name[word.len];
}

static bool find_in(const struct entry *entries, struct word word,
		    struct mp_function *function)
{
	const struct entry *entry;

	for (entry = entries; entry->name; entry++) {
		if (entry->name[0] != word.text[0] || !equals(word, entry->name))
			continue;
		function->func = entry->func;
		function->rank += entry - entries;
		return true;
	}
	return false;
}

/*
 * Since Rust 1.86 or so these names are mangled as items of a crate __rustc:
 * _RNvCs1a2b_7___rustc12___rust_alloc. A suffix added by LLVM is ignored.
 */
static struct word rust_word(struct word word)
{
	static const char crate[] = "7___rustc";
	const char *end = memmem(word.text, word.len, ".llvm.", 6);
	const char *at;

	if (end)
		word.len = end - word.text;
	if (word.len < 4 || strncmp(word.text, "_RNvC", 5))
		return word;
	at = memmem(word.text, word.len, crate, sizeof(crate) - 1);
	if (!at)
		return word;
	at += sizeof(crate) - 1;
	while (*at >= '0' && *at <= '9')
		at++;
	/* Rust puts another underscore before an identifier that begins with one */
	at += *at == '_';
	return (struct word){ at, word.text + word.len - at };
}

bool mp_function_find(const struct mp_user_functions *user, const char *name,
		      struct mp_function *function)
{
	struct word word = rust_word((struct word){ name, strcspn(name, "@") });
	struct word rest;
	size_t i, len;

	for (i = 0; user && i < user->nr; i++) {
		if (!equals((struct word){ name, strcspn(name, "@") },
			    user->list[i].name))
			continue;
		*function = (struct mp_function){ user->list[i].func,
						  MP_LAYER_USER, 0 };
		return true;
	}
	for (i = 0; word.len && i < NR_TABLES; i++) {
		len = strlen(tables[i].prefix);
		if (word.len <= len || memcmp(word.text, tables[i].prefix, len))
			continue;
		rest = (struct word){ word.text + len, word.len - len };
		*function = (struct mp_function){ 0, tables[i].layer,
						  64 * (i + 1) };
		if (find_in(tables[i].entries, rest, function))
			return true;
	}
	return false;
}

bool mp_function_hints_rust(const char *name)
{
	struct word word = rust_word((struct word){ name, strcspn(name, "@") });

	return word.len > 6 && (!strncmp(word.text, "__rdl_", 6) ||
				!strncmp(word.text, "__rg_", 5) ||
				!strncmp(word.text, "__rust_no_alloc_shim", 20));
}
