// SPDX-License-Identifier: GPL-2.0-only
/*
 * known-wrappers: lists wrappers in C code, Go's runtime, and the standard libraries of
 * C++ and Rust
 *
 * Names are compared without regular expressions and mostly before they are
 * demangled, which would take ten times as long: a file can have 100000 names.
 * The functions cannot fail.
 */
#include "known-wrappers.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Names. A name that ends with '*' is a prefix. */
static const char * const c_names[] = {
	/* PostgreSQL */
	"AllocSetAlloc*", "AllocSetContextCreate*", "AllocSetRealloc",
	"GenerationAlloc*", "GenerationContextCreate*", "SlabAlloc*",
	"SlabContextCreate*", "MemoryContextAlloc*", "MemoryContextStrdup",
	"appendStringInfo*", "bms_*", "copyObjectImpl", "cstring_to_text*", "datumCopy",
	"enlargeStringInfo", "initStringInfo", "lappend*", "lcons*", "list_append_unique*",
	"list_concat*", "list_copy*", "list_insert_nth*", "list_make*_impl",
	"list_union*", "makeStringInfo", "text_to_cstring*",
	/* Java */
	"AllocateHeap*", "ReallocateHeap*", "os::malloc", "os::realloc", "os::strdup*",
	/* OpenSSL */
	"CRYPTO_calloc", "CRYPTO_malloc*", "CRYPTO_memdup",
	"CRYPTO_realloc*", "CRYPTO_strdup", "CRYPTO_strndup", "CRYPTO_zalloc",
	/* CPython */
	"PyMem_*", "PyObject_Calloc", "PyObject_Malloc", "PyObject_Realloc",
	"_PyMem_*", "_PyObject_Arena*", "_PyObject_Calloc",
	"_PyObject_Malloc*", "_PyObject_Realloc", "new_arena",
	"pymalloc_alloc", "pymalloc_realloc",
	/* glibc in static programs, and other C libraries */
	"__libc_calloc", "__libc_malloc*", "__libc_memalign",
	"__libc_realloc", "__libc_reallocarray", "__libc_valloc",
	"__libc_pvalloc", "__libc_alloc*", "__malloc*", "__calloc",
	"__realloc", "__posix_memalign", "__strdup", "__strndup",
	"__wcsdup", "_int_malloc", "_int_memalign", "_int_realloc",
	"_mid_memalign", "aligned_alloc", "aligned_alloc_internal",
	"asprintf", "__asprintf*", "__vasprintf*", "calloc", "default_calloc",
	"default_malloc", "malloc", "malloc_consolidate", "memalign",
	"posix_memalign", "pvalloc", "realloc", "reallocarray",
	"reallocf", "strdup", "strndup", "sysmalloc*", "tcache_init*",
	"valloc", "vasprintf", "wcsdup", "lite_malloc", "alloc_slot",
	/* how they get memory from the kernel, and give it back */
	"__default_morecore", "__glibc_morecore", "__libc_free", "_int_free*",
	"alloc_new_heap", "arena_get2*", "cfree", "free", "grow_heap", "heap_trim",
	"mremap_chunk", "munmap_chunk", "new_heap", "ptmalloc_init*", "systrim*",
	/* functions that touch or map memory for their caller */
	"__GI___libc_read", "__GI___mmap*", "__GI___mremap", "__GI___munmap",
	"__GI___sbrk", "__brk", "__bzero*",
	"__libc_pread*", "__libc_read", "__libc_recv*", "__memccpy*", "__memchr*",
	"__memcmp*", "__memcpy*",
	"__memmove*", "__mempcpy*", "__memrchr*", "__memset*", "__mmap*", "__mremap",
	"__munmap", "__pread*", "__rawmemchr*", "__read", "__sbrk", "__stpcpy*",
	"__stpncpy*", "__strcat*", "__strchr*", "__strcmp*", "__strcpy*", "__strlen*",
	"__strncat*", "__strncmp*", "__strncpy*", "__strnlen*", "__strrchr*",
	"__wmemset*", "bcopy", "brk", "bzero", "memccpy", "memchr", "memcmp", "memcpy",
	"memmove", "mempcpy", "memrchr", "memset", "mmap", "mmap64", "mremap", "munmap",
	"pread*", "rawmemchr", "read", "readv", "recv", "recvfrom", "recvmsg", "sbrk",
	"stpcpy", "stpncpy", "strcat", "strchr", "strcmp", "strcpy", "strlcat",
	"strlcpy", "strlen", "strncat", "strncmp", "strncpy", "strnlen", "strrchr",
	"wmemcpy", "wmemmove", "wmemset",
	/* Rust */
	"__rdl_*", "__rg_*", "__rust_alloc*", "__rust_realloc",
	"__rustc::*",
	/* Go: its allocator, and what grows slices, maps and strings */
	"bytes.(*Buffer).grow", "bytes.growSlice", "bytes.makeSlice", "runtime.*",
	"strings.(*Builder).grow",
	/* jemalloc, mimalloc, tcmalloc */
	"_mi_*", "je_*", "mallocx", "mi_aligned*", "mi_calloc*", "mi_heap_*",
	"mi_malloc*", "mi_memalign", "mi_new*", "mi_realloc*", "mi_rezalloc*",
	"mi_strdup", "mi_strndup", "mi_zalloc*", "rallocx", "tc_calloc*",
	"tc_malloc*", "tc_memalign*", "tc_new*", "tc_posix_memalign",
	"tc_realloc*", "tc_valloc", "tcmalloc::*",
	/* SQLite */
	"dbMallocRawFinish", "dbReallocFinish", "mallocWithAlarm",
	"sqlite3DbMalloc*", "sqlite3DbRealloc*", "sqlite3DbStr*Dup",
	"sqlite3DbStrDup", "sqlite3DbStrNDup", "sqlite3Malloc*",
	"sqlite3MemMalloc", "sqlite3MemRealloc", "sqlite3Realloc",
	"sqlite3_malloc*", "sqlite3_realloc*",
	/* GLib */
	"g_aligned_alloc*", "g_malloc*", "g_memdup*", "g_realloc*",
	"g_slice_*", "g_strdup*", "g_strndup", "g_try_malloc*",
	"g_try_realloc*",
	/* Lua */
	"l_alloc", "luaM_*",
	/* PostgreSQL */
	"palloc", "palloc0", "palloc_extended", "pnstrdup", "pstrdup",
	"repalloc*", "pg_malloc*", "pg_realloc", "pg_strdup",
	/* binutils, gcc, git and many others */
	"do_xmalloc", "do_xmallocz", "safe_calloc", "safe_malloc", "safe_realloc",
	"safe_strdup", "xaligned_alloc", "xasprintf", "xcalloc", "xmalloc",
	"xmallocarray", "xmallocz", "xmallocz_gently",
	"xmemalign", "xmemdup*", "xnmalloc", "xnrealloc", "xposix_memalign",
	"xrealloc", "xreallocarray", "xstrdup", "xstrndup", "xvasprintf",
	"xzalloc", "x2nrealloc", "x2realloc",
	/* Redis */
	"zaligned_alloc", "zcalloc*", "zmalloc*", "zrealloc*", "zstrdup",
	"ztrycalloc*", "ztrymalloc*", "ztryrealloc*",
};

/* Libraries whose functions all count as wrappers. */
static const char * const cxx_scopes[] = {
	"std::", "__gnu_cxx::", "operator new(", "operator new[](",
};

static const char * const rust_crates[] = {
	"alloc::", "core::", "std::", "hashbrown::",
};

/*
 * Rust traits whose methods count as wrappers: either only the library
 * implements the trait, or the library's methods call methods of the program's
 * own type.
 */
static const char * const rust_traits[] = {
	"alloc::slice::hack::ConvertVec>", "alloc::string::SpecToString>",
	"alloc::string::ToString>", "alloc::borrow::ToOwned>",
	"core::convert::Into<", "core::convert::TryInto<",
	/* a compiler makes most of these, and who copies is of interest */
	"core::clone::Clone>::clone",
	"core::iter::traits::iterator::Iterator>::collect",
};

static const char * const rust_primitives[] = {
	"bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128",
	"isize", "str", "u8", "u16", "u32", "u64", "u128", "usize",
};

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool begins_with_any(const char *text, const char * const *list,
			    size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (begins(text, list[i]))
			return true;
	return false;
}

/* A name ends before its parameters or a compiler's suffix. */
static bool is_end(char c)
{
	return !c || c == '(' || c == '.' || c == '@' || c == ' ';
}

static bool is_c_name(const char *name, const char *pattern)
{
	size_t i;

	for (i = 0; pattern[i] && pattern[i] != '*'; i++)
		if (name[i] != pattern[i])
			return false;
	return pattern[i] == '*' || is_end(name[i]);
}

static bool is_c_wrapper(const char *name)
{
	size_t i;

	for (i = 0; i < NR(c_names); i++)
		if (name[0] == c_names[i][0] && is_c_name(name, c_names[i]))
			return true;
	return false;
}

/* Matches a type that the program does not define: "T", "&U", "[u8]", "(A, B)". */
static bool is_builtin_type(const char *type)
{
	size_t i, len;

	if (type[0] && strchr("&[(*", type[0]))
		return true;
	len = strcspn(type, " <>,");
	if (len == 1 && isupper((unsigned char)type[0]))
		return true;
	for (i = 0; i < NR(rust_primitives); i++)
		if (strlen(rust_primitives[i]) == len &&
		    !strncmp(type, rust_primitives[i], len))
			return true;
	return false;
}

/* Returns the text after " as " in "<A as B>::c", or NULL. */
static const char *trait_of(const char *type)
{
	int depth = 0;

	for (; *type && depth >= 0; type++) {
		if (*type == '<')
			depth++;
		else if (*type == '>' && type[-1] != '-')
			depth--;
		else if (!depth && begins(type, " as "))
			return type + 4;
	}
	return NULL;
}

/* A trait of the library, or one inside of a function of a built-in type's: "<[_]>::f::T" */
static bool is_library_trait(const char *trait)
{
	return begins_with_any(trait, rust_crates, NR(rust_crates)) ||
	       (trait[0] == '<' && is_builtin_type(trait + 1));
}

/* Matches a name of the form "<type as trait>::method" or "<type>::method". */
static bool is_rust_impl(const char *name)
{
	const char *type = name + 1;
	const char *trait = trait_of(type);

	/* the type is a function: check that function */
	if (type[0] == '<' && is_rust_impl(type))
		return true;
	if (begins_with_any(type, rust_crates, NR(rust_crates)))
		return true;
	if (!trait)
		return is_builtin_type(type);
	if (is_builtin_type(type))
		return is_library_trait(trait);
	return begins_with_any(trait, rust_traits, NR(rust_traits));
}

/*
 * Returns the name without the return type, which template functions have
 * before the name.
 */
static const char *skip_type(const char *name)
{
	const char *begin = name, *at;
	int depth = 0;

	for (at = name; *at; at++) {
		/* the blank in "operator bool" does not end a type */
		if (!depth && (at == begin || at[-1] == ':') &&
		    begins(at, "operator"))
			break;
		if (*at == '<' || *at == '{' || *at == '[')
			depth++;
		else if ((*at == '>' && at != name && at[-1] != '-') ||
			 *at == '}' || *at == ']')
			depth--;
		else if (begins(at, "(anonymous namespace)"))
			at += strlen("(anonymous namespace)") - 1;
		else if (!depth && *at == '(')
			break;
		else if (!depth && *at == ' ')
			begin = at + 1;
	}
	return begin;
}

/* C++ names end with parameters, Rust names do not. */
static bool has_parameters(const char *name)
{
	const char *last = strrchr(name, ')');

	return last && !strpbrk(last, ">:");
}

/* Longer names are not looked at for copies. */
#define MAX_COPY	1024

/* Compares a function's name with the last part of its class's, without "<...>". */
static bool is_constructor(const char *function, size_t len, const char *class, size_t size)
{
	size_t i, begin = 0, end = size;
	int depth = 0;

	for (i = 0; i < size; i++) {
		if (class[i] == '<' && !depth++)
			end = i;
		else if (class[i] == '>')
			depth--;
		else if (!depth && class[i] == ':')
			begin = i + 1, end = size;
	}
	return end - begin == len && !memcmp(function, class + begin, len);
}

/*
 * Constructors and assignments that copy or move a value: "A::A(A const&)" or
 * "A::operator=(A&&)". Compilers make most of them, and who copies is of interest.
 */
static bool is_copy(const char *name)
{
	const size_t len = strlen(name);
	const char *open, *function;
	size_t tail, size;

	/* a hostile name must not cost much */
	if (len > MAX_COPY)
		return false;
	tail = len > 8 && !strcmp(name + len - 8, " const&)") ? 8 :
	       len > 3 && !strcmp(name + len - 3, "&&)") ? 3 : 0;
	for (open = tail ? strchr(name, '(') : NULL; open; open = strchr(open + 1, '(')) {
		if (name + len - tail <= open + 1)
			break;
		size = (size_t)(name + len - tail - (open + 1));
		function = name + size + 2;
		if (function > open || memcmp(name, open + 1, size) || !begins(name + size, "::"))
			continue;
		if (begins(function, "operator=(") ||
		    is_constructor(function, (size_t)(open - function), name, size))
			return true;
	}
	return false;
}

bool mp_known_wrapper(const char *name)
{
	if (name[0] == '<')
		return is_rust_impl(name);
	if (is_c_wrapper(name))
		return true;
	if (has_parameters(name))
		return begins_with_any(skip_type(name), cxx_scopes,
				       NR(cxx_scopes)) || is_copy(name);
	/* a long name of C++ is cut, and has no parameters then */
	return begins_with_any(name, rust_crates, NR(rust_crates)) ||
	       begins_with_any(skip_type(name), cxx_scopes, NR(cxx_scopes));
}

/* Skips the prefix before the outermost scope: for "_ZNKSt6vector" that is "ZNK". */
static const char *skip_qualifiers(const char *name)
{
	name += strspn(name, "Z");
	if (*name == 'N')
		name += 1 + strspn(name + 1, "rVKRO");
	return name;
}

enum mp_verdict mp_known_wrapper_symbol(const char *name)
{
	static const char * const sure[] = {
		/* std, and its abbreviations for strings and streams */
		"St", "Sa", "Sb", "Ss", "Si", "So", "Sd", "nw", "na",
		"9__gnu_cxx",
	};
	static const char * const open[] = {
		"3std", "4core", "5alloc", "9hashbrown", "8tcmalloc",
		"7__rustc",
	};
	const char *scope;

	/*
	 * names in Rust's newer mangling, and of thunks and clones of C++
	 * functions
	 */
	if (begins(name, "_R") || begins(name, "_ZT") || begins(name, "_ZG"))
		return MP_VERDICT_OPEN;
	if (!begins(name, "_Z"))
		return is_c_wrapper(name) ? MP_VERDICT_YES : MP_VERDICT_NO;
	scope = skip_qualifiers(name + 1);
	if (begins_with_any(scope, sure, NR(sure)))
		return MP_VERDICT_YES;
	/* "_$LT$" is Rust's "<" in a mangled name */
	if (begins_with_any(scope, open, NR(open)) ||
	    begins(scope + strspn(scope, "0123456789"), "_$LT$"))
		return MP_VERDICT_OPEN;
	/* constructors and assignments of C++, from a reference to a named type */
	if (strstr(scope, "C1E") || strstr(scope, "C2E") || strstr(scope, "aSE"))
		return MP_VERDICT_OPEN;
	return MP_VERDICT_NO;
}
