// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * module-map.c: records the binaries of each new stack.
 *
 * _dl_find_object(), which takes no lock and allocates nothing, finds the binary of
 * each frame. A binary that is not known yet is recorded. Two threads may record the
 * same binary. Cost: 50 ns per frame, and a few system calls for the name of a new
 * binary. If the C library has no _dl_find_object() (glibc before 2.35), binaries
 * are not recorded.
 */
#include "module-map.h"

#include "binary-headers.h"
#include "drop-counter.h"
#include "memprof_internal.h"
#include "own-syscall.h"
#include "python-runtime.h"
#include "region-file.h"

#include <string.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE

#pragma weak _dl_find_object

/* Number of the first record that is still valid; see mp_modules_forget(). */
static uint64_t known_from;
static uint64_t committed = MP_REGION_MAPS_FIRST;

static struct memprof_region_section *maps_section(void)
{
	return &mp_region->sections[MEMPROF_REGION_MAPS];
}

static bool is_known(uintptr_t pc)
{
	struct memprof_region_map *maps = mp_region_array(MEMPROF_REGION_MAPS);
	uint64_t i, used = __atomic_load_n(&maps_section()->used, __ATOMIC_ACQUIRE);

	for (i = __atomic_load_n(&known_from, __ATOMIC_RELAXED); i < used; i++)
		if (pc < __atomic_load_n(&maps[i].end, __ATOMIC_ACQUIRE) &&
		    pc >= maps[i].start)
			return true;
	return false;
}

/*
 * Whether a binary is recorded already.
 */
static bool known_binary(const struct dl_find_object *object)
{
	struct memprof_region_map *maps = mp_region_array(MEMPROF_REGION_MAPS);
	uint64_t i, used = __atomic_load_n(&maps_section()->used, __ATOMIC_ACQUIRE);

	for (i = __atomic_load_n(&known_from, __ATOMIC_RELAXED); i < used; i++)
		if (__atomic_load_n(&maps[i].end, __ATOMIC_ACQUIRE) &&
		    maps[i].start >= (uintptr_t)object->dlfo_map_start &&
		    maps[i].start < (uintptr_t)object->dlfo_map_end)
			return true;
	return false;
}

/*
 * Whether record @nr may be written. If the first records are used up, memory for all
 * other records is committed at once. Several threads may do so at the same time.
 */
static bool may_write(uint64_t nr)
{
	bool done;

	if (nr < __atomic_load_n(&committed, __ATOMIC_ACQUIRE))
		return true;
	if (nr >= maps_section()->capacity)
		return false;
	done = mp_region_commit(MEMPROF_REGION_MAPS, maps_section()->capacity);
	if (done)
		__atomic_store_n(&committed, maps_section()->capacity,
				 __ATOMIC_RELEASE);
	return done;
}

static struct memprof_region_map *append(void)
{
	uint64_t nr = __atomic_load_n(&maps_section()->used, __ATOMIC_RELAXED);

	do {
		if (!may_write(nr)) {
			mp_drop_count(MP_COUNT_maps_full_drops);
			return NULL;
		}
	} while (!__atomic_compare_exchange_n(&maps_section()->used, &nr, nr + 1, true,
					      __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	return (struct memprof_region_map *)
		mp_region_array(MEMPROF_REGION_MAPS) + nr;
}

/*
 * Path of the main program, for which the loader has no name, and the working
 * directory, for relative names. Both are read at start, because system calls may be
 * forbidden when a sample is taken.
 */
static char program[sizeof(((struct memprof_region_map *)0)->path)];
static char folder[sizeof(program)];

void mp_modules_load(void)
{
	ssize_t n = mp_own_readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[n > 0 ? n : 0] = 0;
	if (!mp_own_getcwd(folder, sizeof(folder)))
		*folder = 0;
}

static void write_path(char *path, size_t size, const char *name)
{
	size_t len = 0;

	if (!*name)
		name = program;
	else if (!strncmp(name, "linux-vdso", 10))
		name = "[vdso]";
	else if (*name != '/' && *folder)
		len = strlen(strcpy(path, folder));
	if (len && len + 1 < size)
		path[len++] = '/';
	while (*name && len + 1 < size)
		path[len++] = *name++;
	path[len] = 0;
}

/*
 * Copies the build-id of a binary from its note, which is mapped near the program
 * headers.
 */
static void write_build_id(struct memprof_region_map *m, uintptr_t at,
			   uintptr_t end)
{
	while (at + sizeof(Elf64_Nhdr) <= end) {
		const Elf64_Nhdr *note = (const void *)at;
		uintptr_t name = at + sizeof(*note);
		uintptr_t desc = name + ((note->n_namesz + 3UL) & ~3UL);

		at = desc + ((note->n_descsz + 3UL) & ~3UL);
		if (at > end)
			return;
		if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 ||
		    memcmp((const void *)name, "GNU", 4) ||
		    note->n_descsz > sizeof(m->build_id))
			continue;
		memcpy(m->build_id, (const void *)desc, note->n_descsz);
		m->build_id_size = note->n_descsz;
		return;
	}
}

struct binary {
	uintptr_t start, end, bias;
	const char *name;
	const struct dl_find_object *object;
	struct mp_headers headers;
};

static void write_map(const struct binary *b, uintptr_t start, uintptr_t end,
		      uint64_t offset, uint64_t now_ns)
{
	struct memprof_region_map *m = append();
	int i;

	if (!m)
		return;
	m->start = start;
	m->offset = offset;
	m->birth_ns = now_ns;
	write_path(m->path, sizeof(m->path), b->name);
	for (i = 0; i < b->headers.nr && !m->build_id_size; i++) {
		const Elf64_Phdr *p = &b->headers.list[i];
		uintptr_t at = b->bias + p->p_vaddr, begin, end;

		if (p->p_type == PT_NOTE &&
		    mp_binary_segment(b->object, at, &begin, &end) &&
		    p->p_filesz <= end - at)
			write_build_id(m, at, at + p->p_filesz);
	}
	/* pairs with is_known() and with readers of the file */
	__atomic_store_n(&m->end, end, __ATOMIC_RELEASE);
}

/* The interpreter may be in a library that was loaded late. */
static void meet_python(const struct binary *b)
{
	const struct dl_phdr_info info = {
		.dlpi_addr = b->bias, .dlpi_name = b->name,
		.dlpi_phdr = b->headers.list, .dlpi_phnum = b->headers.nr,
	};

	mp_python_meet(&info);
}

static void add_binary(const struct dl_find_object *object, uint64_t now_ns)
{
	struct binary b = {
		.start = (uintptr_t)object->dlfo_map_start,
		.end = (uintptr_t)object->dlfo_map_end,
		.bias = object->dlfo_link_map->l_addr,
		.name = object->dlfo_link_map->l_name,
		.object = object,
	};
	const uintptr_t page = mp_region->page_size - 1;
	bool any = false;
	int i;

	b.headers = mp_binary_headers(object);
	meet_python(&b);
	for (i = 0; i < b.headers.nr; i++) {
		const Elf64_Phdr *p = &b.headers.list[i];
		uintptr_t at = b.bias + p->p_vaddr;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		write_map(&b, at & ~page, (at + p->p_memsz + page) & ~page,
			  p->p_offset & ~(uint64_t)page, now_ns);
		any = true;
	}
	if (!any)
		write_map(&b, b.start, b.end, 0, now_ns);
}

/**
 * mp_modules_note() - record the binaries of a stack
 * @frames: return addresses
 * @depth: number of @frames
 * @now_ns: CLOCK_MONOTONIC
 */
void mp_modules_note(const uintptr_t *frames, int depth, uint64_t now_ns)
{
	struct dl_find_object object;
	int i;

	if (!_dl_find_object)
		return;
	for (i = 0; i < depth; i++)
		if (!is_known(frames[i] - 1) &&
		    !_dl_find_object((void *)(frames[i] - 1), &object) &&
		    !known_binary(&object))
			add_binary(&object, now_ns);
}

/* Whether an address is in a binary; true if that cannot be found out. */
bool mp_modules_has(uintptr_t pc)
{
	struct dl_find_object object;

	return !_dl_find_object || !_dl_find_object((void *)pc, &object);
}

/* Forgets all records: a binary was unloaded, and its addresses can be used again. */
void mp_modules_forget(void)
{
	if (mp_region)
		__atomic_store_n(&known_from, maps_section()->used, __ATOMIC_RELAXED);
}

/* Resets the variables of this file for a new region, which has no records. */
void mp_modules_begin(void)
{
	known_from = 0;
	committed = MP_REGION_MAPS_FIRST;
}

#else

void mp_modules_note(const uintptr_t *frames, int depth, uint64_t now_ns)
{
	(void)frames;
	(void)depth;
	(void)now_ns;
}

bool mp_modules_has(uintptr_t pc)
{
	(void)pc;
	return true;
}

void mp_modules_forget(void)
{
}

void mp_modules_begin(void)
{
}

void mp_modules_load(void)
{
}

#endif
