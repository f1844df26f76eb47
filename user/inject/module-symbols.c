// SPDX-License-Identifier: GPL-2.0-only
/*
 * module-symbols: finds functions of a module by its hash table of dynamic symbols, in
 * the memory of a process
 *
 * A module costs about 20 us. What cannot be read counts as missing.
 */
#include "module-symbols.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#define MAX_HEADERS	64
#define MAX_DYNAMIC	1024
#define MAX_CHAIN	1000
#define MAX_NAME	64

/* What the dynamic section says; addresses are those in memory. */
struct dynamic {
	uint64_t symbols, strings, gnu_hash, hash;
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

	if (entry->d_tag == DT_SYMTAB)
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

/* Returns the value of a symbol, if it is a function of this name that the module defines. */
static uint64_t value_of(const struct mp_inject_target *target,
			 const struct dynamic *dynamic, uint32_t index, const char *name)
{
	const size_t size = strlen(name) + 1;
	char found[MAX_NAME];
	Elf64_Sym symbol;

	if (!mp_target_get(target, dynamic->symbols + index * sizeof(symbol), &symbol,
			   sizeof(symbol)) ||
	    ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_shndx ||
	    size > sizeof(found) ||
	    !mp_target_get(target, dynamic->strings + symbol.st_name, found, size))
		return 0;
	return memcmp(found, name, size) ? 0 : symbol.st_value;
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

struct gnu_head {
	uint32_t nr_buckets, first, nr_filter, shift;
};

/* Most modules have none of the names, which the Bloom filter tells. */
static bool may_have(const struct mp_inject_target *target, uint64_t filter,
		     const struct gnu_head *head, uint32_t hash)
{
	uint64_t word;

	return mp_target_get(target, filter + hash / 64 % head->nr_filter * sizeof(word),
			     &word, sizeof(word)) &&
	       word >> hash % 64 & word >> (hash >> head->shift % 32) % 64 & 1;
}

static uint64_t find_by_gnu_hash(const struct mp_inject_target *target,
				 const struct dynamic *dynamic, const char *name)
{
	const uint64_t filter = dynamic->gnu_hash + sizeof(struct gnu_head);
	uint32_t hash = gnu_hash(name), index, link = 0, steps = 0;
	uint64_t buckets, chains, value = 0;
	struct gnu_head head;

	if (!mp_target_get(target, dynamic->gnu_hash, &head, sizeof(head)) ||
	    !head.nr_buckets || !head.nr_filter || !may_have(target, filter, &head, hash))
		return 0;
	buckets = filter + head.nr_filter * sizeof(uint64_t);
	chains = buckets + head.nr_buckets * sizeof(link);
	if (!mp_target_get(target, buckets + hash % head.nr_buckets * sizeof(index),
			   &index, sizeof(index)) || !index || index < head.first)
		return 0;
	for (; !value && !(link & 1) && steps < MAX_CHAIN; index++, steps++) {
		if (!mp_target_get(target, chains + (index - head.first) * sizeof(link),
				   &link, sizeof(link)))
			return 0;
		if ((link | 1) == (hash | 1))
			value = value_of(target, dynamic, index, name);
	}
	return value;
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t hash = 0, high;

	while (*name) {
		hash = (hash << 4) + (unsigned char)*name++;
		high = hash & 0xf0000000;
		hash = (hash ^ high >> 24) & ~high;
	}
	return hash;
}

static uint64_t find_by_sysv_hash(const struct mp_inject_target *target,
				  const struct dynamic *dynamic, const char *name)
{
	uint64_t at = dynamic->hash + 2 * sizeof(uint32_t), value = 0;
	uint32_t head[2], index, steps = 0;

	if (!mp_target_get(target, dynamic->hash, head, sizeof(head)) || !head[0])
		return 0;
	at += sysv_hash(name) % head[0] * sizeof(index);
	while (!value && steps++ < MAX_CHAIN &&
	       mp_target_get(target, at, &index, sizeof(index)) && index) {
		value = value_of(target, dynamic, index, name);
		at = dynamic->hash + (2 + (uint64_t)head[0] + index) * sizeof(index);
	}
	return value;
}

static void find_wanted(const struct mp_inject_target *target,
			struct mp_inject_module *module, const struct dynamic *dynamic)
{
	uint64_t value;
	size_t i;

	for (i = 0; i < MP_NR_WANTED; i++) {
		value = dynamic->gnu_hash ? find_by_gnu_hash(target, dynamic, names[i]) :
			find_by_sysv_hash(target, dynamic, names[i]);
		if (value)
			module->wanted[i] = module->bias + value;
	}
	module->has_symbols = true;
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
	if (dynamic.symbols && dynamic.strings && (dynamic.gnu_hash || dynamic.hash))
		find_wanted(target, module, &dynamic);
}
