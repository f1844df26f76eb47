// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * loaded-object.c: reads the symbols and relocations of a binary that is loaded.
 *
 * The tables belong to the host, and may be damaged. Each address is compared with the
 * object's segments before it is read, so a damaged table leads to wrong or missing
 * symbols, but to no fault.
 *
 * Functions are looked up here and not with dlsym(), for two reasons. In a library
 * that was opened late, RTLD_NEXT does not find the allocator that the program links.
 * And in a program at a fixed address, RTLD_DEFAULT may find the program's entry in its
 * procedure linkage table, which calls whatever its slot says.
 *
 * Cost: a search in a hash table for a name in an object. Nothing is allocated.
 */
#include "loaded-object.h"

#include <string.h>
#include <sys/auxv.h>

/* Words before the tables of DT_GNU_HASH, and before those of DT_HASH. */
enum { GNU_HEAD = 4, HEAD = 2 };

/**
 * mp_object_has() - test whether a range is inside one of the object's segments
 * @o: the object
 * @at: first address
 * @size: bytes of the range
 * @flags: permissions that the segment must have: PF_R, PF_W, PF_X
 */
bool mp_object_has(const struct mp_object *o, uintptr_t at, size_t size, uint32_t flags)
{
	const Elf64_Phdr *p = o->info->dlpi_phdr;
	uintptr_t offset;
	int i;

	for (i = 0; i < o->info->dlpi_phnum; i++, p++) {
		offset = at - o->info->dlpi_addr - p->p_vaddr;
		if (p->p_type == PT_LOAD && (p->p_flags & flags) == flags &&
		    offset < p->p_memsz && size <= p->p_memsz - offset)
			return true;
	}
	return false;
}

/*
 * Returns a table, or NULL. glibc changes the addresses in the dynamic section to those
 * in memory; musl does not, and nobody does so in the vDSO.
 */
static const void *table_at(const struct mp_object *o, uintptr_t value, size_t size,
			    size_t alignment)
{
	if (!mp_object_has(o, value, size, PF_R))
		value += o->info->dlpi_addr;
	return value % alignment == 0 && mp_object_has(o, value, size, PF_R) ?
	       (const void *)value : NULL;
}

static const Elf64_Phdr *header_of(const struct dl_phdr_info *info, uint32_t type)
{
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == type)
			return &info->dlpi_phdr[i];
	return NULL;
}

/* Values of the dynamic section that matter here, by tag. */
#define NR_TAGS	DT_JMPREL
struct dynamic {
	uintptr_t values[NR_TAGS + 1];
	uintptr_t gnu_hash;
};

static bool read_dynamic(const struct mp_object *o, struct dynamic *dynamic)
{
	const Elf64_Phdr *header = header_of(o->info, PT_DYNAMIC);
	uintptr_t at, end;

	memset(dynamic, 0, sizeof(*dynamic));
	if (!header)
		return false;
	at = o->info->dlpi_addr + header->p_vaddr;
	if (at % sizeof(uintptr_t) || !mp_object_has(o, at, header->p_memsz, PF_R))
		return false;
	for (end = at + header->p_memsz; end - at >= sizeof(Elf64_Dyn);
	     at += sizeof(Elf64_Dyn)) {
		const Elf64_Dyn *entry = (const void *)at;

		if (entry->d_tag == DT_NULL)
			break;
		if (entry->d_tag > 0 && entry->d_tag <= NR_TAGS)
			dynamic->values[entry->d_tag] = entry->d_un.d_ptr;
		else if (entry->d_tag == DT_GNU_HASH)
			dynamic->gnu_hash = entry->d_un.d_ptr;
	}
	return true;
}

static void read_relocations(struct mp_object *o, int list, uintptr_t at, size_t size)
{
	struct mp_relocations *relocations = &o->relocations[list];

	relocations->list = size ? table_at(o, at, size, sizeof(uintptr_t)) : NULL;
	relocations->nr = relocations->list ? size / sizeof(Elf64_Rela) : 0;
}

static void read_relro(struct mp_object *o)
{
	const Elf64_Phdr *header = header_of(o->info, PT_GNU_RELRO);
	const uintptr_t page = getauxval(AT_PAGESZ);
	uintptr_t begin;

	if (!header)
		return;
	begin = o->info->dlpi_addr + header->p_vaddr;
	o->relro_begin = begin & ~(page - 1);
	o->relro_end = (begin + header->p_memsz) & ~(page - 1);
}

/**
 * mp_object_read() - find the tables of an object
 * @o: out: the tables
 * @info: the object, as dl_iterate_phdr() shows it; @o refers to it
 *
 * Return: false if the object has no symbols.
 */
bool mp_object_read(struct mp_object *o, const struct dl_phdr_info *info)
{
	struct dynamic dynamic;
	const uintptr_t *values = dynamic.values;

	*o = (struct mp_object){ .info = info };
	if (!read_dynamic(o, &dynamic) || !values[DT_SYMTAB] || !values[DT_STRSZ])
		return false;
	o->symbols = table_at(o, values[DT_SYMTAB], sizeof(*o->symbols),
			      sizeof(uintptr_t));
	o->names_size = values[DT_STRSZ];
	o->names = table_at(o, values[DT_STRTAB], o->names_size, 1);
	if (!o->symbols || !o->names || o->names[o->names_size - 1])
		return false;
	if (values[DT_HASH])
		o->hash = table_at(o, values[DT_HASH], HEAD * sizeof(uint32_t),
				   sizeof(uint32_t));
	if (dynamic.gnu_hash)
		o->gnu_hash = table_at(o, dynamic.gnu_hash, GNU_HEAD * sizeof(uint32_t),
				       sizeof(uint32_t));
	if (!values[DT_RELAENT] || values[DT_RELAENT] == sizeof(Elf64_Rela))
		read_relocations(o, 0, values[DT_RELA], values[DT_RELASZ]);
	if (values[DT_PLTREL] == DT_RELA)
		read_relocations(o, 1, values[DT_JMPREL], values[DT_PLTRELSZ]);
	read_relro(o);
	return true;
}

/* Whether the object is this library, or has this library's code. */
bool mp_object_is_own(const struct mp_object *o)
{
	return mp_object_has(o, (uintptr_t)mp_object_is_own, 1, 0);
}

/* Returns a symbol, or NULL if the number is not valid. */
const Elf64_Sym *mp_object_symbol(const struct mp_object *o, size_t nr)
{
	const uintptr_t at = (uintptr_t)o->symbols + nr * sizeof(*o->symbols);

	return mp_object_has(o, at, sizeof(*o->symbols), PF_R) ? (const void *)at : NULL;
}

/* Returns the name of a symbol; an empty one if it is not valid. */
const char *mp_object_name(const struct mp_object *o, const Elf64_Sym *symbol)
{
	return symbol->st_name < o->names_size ? o->names + symbol->st_name : "";
}

/* Reads a word of a hash table. Returns 0 outside of the object. */
static uint32_t word_at(const struct mp_object *o, const uint32_t *table, uint64_t nr)
{
	const uintptr_t at = (uintptr_t)table + nr * sizeof(*table);

	return mp_object_has(o, at, sizeof(*table), PF_R) ? *(const uint32_t *)at : 0;
}

static const Elf64_Sym *symbol_with_name(const struct mp_object *o, size_t nr,
					 const char *name)
{
	const Elf64_Sym *symbol = mp_object_symbol(o, nr);

	return symbol && !strcmp(mp_object_name(o, symbol), name) ? symbol : NULL;
}

static const Elf64_Sym *find_by_gnu_hash(const struct mp_object *o, const char *name)
{
	const uint32_t *table = o->gnu_hash;
	const uint64_t nr_buckets = table[0], first = table[1];
	const uint64_t buckets = GNU_HEAD + (uint64_t)table[2] * sizeof(Elf64_Addr) /
						    sizeof(*table);
	const Elf64_Sym *symbol;
	uint32_t hash = 5381, found;
	const char *p;
	uint64_t nr;

	for (p = name; *p; p++)
		hash = hash * 33 + (unsigned char)*p;
	nr = nr_buckets ? word_at(o, table, buckets + hash % nr_buckets) : 0;
	if (!nr || nr < first)
		return NULL;
	do {
		/* 0 outside of the object; the lowest bit ends the chain */
		found = word_at(o, table, buckets + nr_buckets + nr - first);
		symbol = (found ^ hash) >> 1 ? NULL : symbol_with_name(o, nr, name);
		nr++;
	} while (!symbol && found && !(found & 1));
	return symbol;
}

/* A chain that leads into itself ends after as many steps as there are symbols. */
static const Elf64_Sym *find_by_hash(const struct mp_object *o, const char *name)
{
	const uint64_t nr_buckets = o->hash[0], nr_symbols = o->hash[1];
	const Elf64_Sym *symbol = NULL;
	uint32_t hash = 0, high, steps;
	const char *p;
	uint32_t nr;

	for (p = name; *p; p++) {
		hash = (hash << 4) + (unsigned char)*p;
		high = hash & 0xf0000000;
		hash = (hash ^ high >> 24) & ~high;
	}
	nr = nr_buckets ? word_at(o, o->hash, HEAD + hash % nr_buckets) : 0;
	for (steps = 0; nr && !symbol && steps < nr_symbols; steps++) {
		symbol = symbol_with_name(o, nr, name);
		nr = word_at(o, o->hash, HEAD + nr_buckets + nr);
	}
	return symbol;
}

/**
 * mp_object_find() - find a symbol by its name
 *
 * Return: the symbol, which may be one that the object only uses; NULL if there is
 * none.
 */
const Elf64_Sym *mp_object_find(const struct mp_object *o, const char *name)
{
	if (o->gnu_hash)
		return find_by_gnu_hash(o, name);
	return o->hash ? find_by_hash(o, name) : NULL;
}

/**
 * mp_object_function() - find a function that the object defines for others
 *
 * Return: its address; NULL if there is none. Functions that are chosen at load time
 * (STT_GNU_IFUNC) are not found.
 */
void *mp_object_function(const struct mp_object *o, const char *name)
{
	const Elf64_Sym *symbol = mp_object_find(o, name);

	if (!symbol || symbol->st_shndx == SHN_UNDEF || !symbol->st_value ||
	    ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    ELF64_ST_BIND(symbol->st_info) == STB_LOCAL)
		return NULL;
	return (void *)(o->info->dlpi_addr + symbol->st_value);
}

/* Searches for a definition, in all objects but this library. */
struct search {
	const char *name;
	void *found;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *search = arg;
	struct mp_object o;

	(void)size;
	if (mp_object_read(&o, info) && !mp_object_is_own(&o))
		search->found = mp_object_function(&o, search->name);
	return search->found != NULL;
}

/**
 * mp_object_definition() - find the first definition of a function
 *
 * Objects are searched in the order in which they were loaded, without this library.
 * For the program and its libraries, the dynamic linker uses the same order.
 *
 * Return: its address; NULL if there is none.
 */
void *mp_object_definition(const char *name)
{
	struct search search = { name, NULL };

	dl_iterate_phdr(search_object, &search);
	return search.found;
}

/* Which comes first: this library, or another one that has a malloc()? */
enum order { PROGRAM, NEITHER, EARLY, LATE };

static int compare_order(struct dl_phdr_info *info, size_t size, void *arg)
{
	enum order *order = arg;
	struct mp_object o;

	(void)size;
	if (*order == PROGRAM) {
		*order = NEITHER;
		return 0;
	}
	if (!mp_object_read(&o, info))
		return 0;
	if (mp_object_is_own(&o))
		*order = EARLY;
	else if (mp_object_function(&o, "malloc"))
		*order = LATE;
	return *order != NEITHER;
}

/**
 * mp_object_is_loaded_late() - test whether this library was loaded by dlopen()
 *
 * A library that the program links, or that LD_PRELOAD names, comes before the C
 * library or another allocator, so calls of malloc() reach it. The program itself does
 * not count: it may have its own malloc().
 */
bool mp_object_is_loaded_late(void)
{
	enum order order = PROGRAM;

	dl_iterate_phdr(compare_order, &order);
	return order == LATE;
}
