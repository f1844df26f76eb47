// SPDX-License-Identifier: GPL-2.0-only
/*
 * module-symbols: reads the program headers, the dynamic section and the dynamic
 * symbols of a module from the memory of a process
 *
 * A library of 5,000 symbols costs 0.1 ms. What cannot be read counts as missing.
 */
#include "module-symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_HEADERS	64
#define MAX_SYMBOLS	2000000
#define MAX_STRINGS	(64U << 20)
#define MAX_DYNAMIC	1024
#define MAX_BUCKETS	1000000

/* What the dynamic section says; addresses are those in memory. */
struct dynamic {
	uint64_t symbols, strings, size, gnu_hash, hash;
	uint64_t nr;
};

static const char * const names[MP_NR_WANTED] = {
	[MP_WANTED_DLOPEN] = "dlopen",
	[MP_WANTED_OLD_DLOPEN] = "__libc_dlopen_mode",
	[MP_WANTED_DLSYM] = "dlsym",
	[MP_WANTED_DLERROR] = "dlerror",
	[MP_WANTED_ERRNO] = "__errno_location",
	[MP_WANTED_ATTACH] = "memprof_attach",
	[MP_WANTED_DETACH] = "memprof_detach",
	[MP_WANTED_MARK] = "memprof_mark",
	[MP_WANTED_MALLOC] = "malloc",
	[MP_WANTED_FREE] = "free",
	[MP_WANTED_GLIBC] = "gnu_get_libc_version",
	[MP_WANTED_MUSL] = "__dls3",
	[MP_WANTED_LOADER] = "__tls_get_addr",
};

/* The headers that describe a module: returns how many, 0 if it is no ELF module. */
static size_t read_headers(const struct mp_inject_target *target, uint64_t start,
			   Elf64_Phdr *headers)
{
	Elf64_Ehdr elf;
	size_t nr;

	if (!mp_target_get(target, start, &elf, sizeof(elf)) ||
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_phentsize != sizeof(*headers))
		return 0;
	nr = elf.e_phnum < MAX_HEADERS ? elf.e_phnum : MAX_HEADERS;
	return mp_target_get(target, start + elf.e_phoff, headers,
			     nr * sizeof(*headers)) ? nr : 0;
}

static uint64_t find_bias(const Elf64_Phdr *headers, size_t nr, uint64_t start)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	size_t i;

	for (i = 0; i < nr; i++)
		if (headers[i].p_type == PT_LOAD)
			return start - (headers[i].p_vaddr & ~(page - 1));
	return start;
}

static uint64_t find_data_end(const Elf64_Phdr *headers, size_t nr, uint64_t bias)
{
	uint64_t end = 0, at;
	size_t i;

	for (i = 0; i < nr; i++) {
		at = bias + headers[i].p_vaddr + headers[i].p_memsz;
		if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_W && at > end)
			end = at;
	}
	return end;
}

static void take_entry(struct dynamic *dynamic, const Elf64_Dyn *entry, uint64_t bias)
{
	/* glibc relocates these addresses in memory, musl does not */
	uint64_t address = entry->d_un.d_ptr < bias ? entry->d_un.d_ptr + bias :
			   entry->d_un.d_ptr;

	if (entry->d_tag == DT_STRSZ)
		dynamic->size = entry->d_un.d_val;
	else if (entry->d_tag == DT_SYMTAB)
		dynamic->symbols = address;
	else if (entry->d_tag == DT_STRTAB)
		dynamic->strings = address;
	else if (entry->d_tag == DT_GNU_HASH)
		dynamic->gnu_hash = address;
	else if (entry->d_tag == DT_HASH)
		dynamic->hash = address;
}

static void read_dynamic(const struct mp_inject_target *target, const Elf64_Phdr *header,
			 uint64_t bias, struct dynamic *dynamic)
{
	uint64_t at = bias + header->p_vaddr;
	Elf64_Dyn entry;
	size_t i;

	for (i = 0; i < MAX_DYNAMIC && i < header->p_memsz / sizeof(entry); i++) {
		if (!mp_target_get(target, at + i * sizeof(entry), &entry,
				   sizeof(entry)) || entry.d_tag == DT_NULL)
			return;
		take_entry(dynamic, &entry, bias);
	}
}

/* The last chain of a GNU hash ends at the last symbol. */
static uint64_t end_of_chain(const struct mp_inject_target *target, uint64_t chains,
			     uint32_t first, uint32_t last)
{
	uint32_t hash = 0;

	while (last < MAX_SYMBOLS && !(hash & 1)) {
		if (!mp_target_get(target, chains + (last - first) * sizeof(hash), &hash,
				   sizeof(hash)))
			return 0;
		last++;
	}
	return last;
}

static uint64_t count_by_gnu_hash(const struct mp_inject_target *target, uint64_t at)
{
	struct { uint32_t nr_buckets, first, bloom, shift; } head;
	uint32_t *buckets, last = 0, i;
	uint64_t start, nr = 0;

	if (!mp_target_get(target, at, &head, sizeof(head)) ||
	    head.nr_buckets > MAX_BUCKETS)
		return 0;
	start = at + sizeof(head) + head.bloom * sizeof(uint64_t);
	buckets = calloc(head.nr_buckets + 1, sizeof(*buckets));
	if (buckets && mp_target_get(target, start, buckets,
				     head.nr_buckets * sizeof(*buckets))) {
		for (i = 0; i < head.nr_buckets; i++)
			last = buckets[i] > last ? buckets[i] : last;
		if (last >= head.first)
			nr = end_of_chain(target, start + head.nr_buckets *
					  sizeof(*buckets), head.first, last);
	}
	free(buckets);
	return nr;
}

static uint64_t count_symbols(const struct mp_inject_target *target,
			      const struct dynamic *dynamic)
{
	uint32_t head[2];

	if (dynamic->hash && mp_target_get(target, dynamic->hash, head, sizeof(head)))
		return head[1];
	return dynamic->gnu_hash ? count_by_gnu_hash(target, dynamic->gnu_hash) : 0;
}

static void take_symbol(struct mp_inject_module *module, const Elf64_Sym *symbol,
			const char *name)
{
	size_t i;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_shndx ||
	    !symbol->st_value)
		return;
	for (i = 0; i < MP_NR_WANTED; i++)
		if (!strcmp(name, names[i]))
			module->wanted[i] = module->bias + symbol->st_value;
}

static void read_symbols(const struct mp_inject_target *target,
			 struct mp_inject_module *module, const struct dynamic *dynamic)
{
	Elf64_Sym *symbols = malloc(dynamic->nr * sizeof(*symbols));
	char *strings = malloc(dynamic->size + 1);
	uint64_t i;

	if (symbols && strings &&
	    mp_target_get(target, dynamic->symbols, symbols,
			  dynamic->nr * sizeof(*symbols)) &&
	    mp_target_get(target, dynamic->strings, strings, dynamic->size)) {
		strings[dynamic->size] = '\0';
		for (i = 1; i < dynamic->nr; i++)
			if (symbols[i].st_name < dynamic->size)
				take_symbol(module, &symbols[i],
					    strings + symbols[i].st_name);
		module->has_symbols = true;
	}
	free(symbols);
	free(strings);
}

void mp_module_read_symbols(const struct mp_inject_target *target,
			    struct mp_inject_module *module)
{
	struct dynamic dynamic = { 0 };
	Elf64_Phdr headers[MAX_HEADERS];
	size_t nr = read_headers(target, module->start, headers), i;

	if (!nr)
		return;
	module->bias = find_bias(headers, nr, module->start);
	module->data_end = find_data_end(headers, nr, module->bias);
	for (i = 0; i < nr; i++)
		if (headers[i].p_type == PT_DYNAMIC)
			read_dynamic(target, &headers[i], module->bias, &dynamic);
	dynamic.nr = count_symbols(target, &dynamic);
	if (dynamic.symbols && dynamic.strings && dynamic.nr &&
	    dynamic.nr <= MAX_SYMBOLS && dynamic.size <= MAX_STRINGS)
		read_symbols(target, module, &dynamic);
}
