// SPDX-License-Identifier: GPL-2.0-only
/*
 * usdt: finds static probes in the section .note.stapsdt
 *
 * The format is that of SystemTap's sys/sdt.h, version 3: three addresses
 * (probe, base, semaphore), then provider, name and arguments as strings. A
 * note that is incomplete or points outside of the file is ignored. A note
 * takes microseconds.
 */
#include "usdt.h"
#include "usdt-args.h"

#include <stdio.h>
#include <string.h>

#define STAPSDT_TYPE	3

struct note {
	uint64_t pc;
	uint64_t semaphore;
	const char *provider;
	const char *name;
	const char *args;
};

static const char *read_string(const char **at, const char *end)
{
	const char *text = *at;
	const char *nul = text < end ? memchr(text, '\0', end - text) : NULL;

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

/*
 * @base: address of .stapsdt.base in this file. If it differs from the note's
 *	base, a tool such as prelink moved the file, and all addresses are moved
 *	by the same distance
 */
static bool read_note(struct note *note, const char *desc, size_t size,
		      uint64_t base)
{
	const char *at = desc + 24, *end = desc + size;
	uint64_t address[3];

	if (size < sizeof(address))
		return false;
	memcpy(address, desc, sizeof(address));
	note->pc = address[0];
	note->semaphore = address[2];
	if (base) {
		note->pc += base - address[1];
		if (note->semaphore)
			note->semaphore += base - address[1];
	}
	note->provider = read_string(&at, end);
	note->name = note->provider ? read_string(&at, end) : NULL;
	note->args = note->name ? read_string(&at, end) : NULL;
	return note->args;
}

static uint32_t func_of(const struct note *note)
{
	if (strcmp(note->provider, "otel_memory") &&
	    strcmp(note->provider, "ddheap"))
		return 0;
	if (!strcmp(note->name, "alloc"))
		return MEMPROF_FUNC_USDT_ALLOC;
	return !strcmp(note->name, "free") ? MEMPROF_FUNC_USDT_FREE : 0;
}

/* Reads a probe with one argument, the address of a record. */
static bool read_record(const struct mp_elf *elf, struct mp_scan *scan,
			const struct note *note, struct mp_section_point *point)
{
	struct memprof_probe_arg args[MP_POINT_MAX_ARGS];

	*point = (struct mp_section_point){
		.offset = mp_elf_offset(elf, note->pc, true),
	};
	if (note->semaphore)
		point->ref_ctr_offset = mp_elf_offset(elf, note->semaphore,
						      false);
	if (!point->offset || (note->semaphore && !point->ref_ctr_offset) ||
	    mp_usdt_parse_args(elf->machine, note->args, args) != 1) {
		mp_scan_warn(scan, "a static probe %s:%s cannot be used: its argument is '%.60s'",
			     note->provider, note->name, note->args);
		return false;
	}
	point->record = args[0];
	return true;
}

/* Adds the probe memprof:section(struct memprof_section *). */
static void add_section(const struct mp_elf *elf, struct mp_scan *scan,
			const struct note *note)
{
	struct mp_section_point point;

	if (scan->nr_sections < MP_SCAN_MAX_SECTIONS &&
	    read_record(elf, scan, note, &point))
		scan->sections[scan->nr_sections++] = point;
}

/* Sets the place of otel_memory:function or otel_memory:counter, which have a record. */
static void set_record(const struct mp_elf *elf, struct mp_scan *scan,
		       const struct note *note, struct mp_section_point *to)
{
	struct mp_section_point point;

	if (read_record(elf, scan, note, &point))
		*to = point;
}

static void add_probe(const struct mp_chooser *chooser,
		      const struct mp_elf *elf, struct mp_scan *scan,
		      const struct note *note)
{
	struct mp_point point = {
		.func = func_of(note),
		.layer = MP_LAYER_USDT,
		.offset = mp_elf_offset(elf, note->pc, true),
	};
	int nr;

	if (!point.func)
		return;
	snprintf(point.name, sizeof(point.name), "%s:%s", note->provider,
		 note->name);
	nr = mp_usdt_parse_args(elf->machine, note->args, point.args);
	if (nr < (point.func == MEMPROF_FUNC_USDT_ALLOC ? 3 : 1)) {
		mp_scan_warn(scan, "static probe %s has arguments that cannot be read: '%.60s'",
			     point.name, note->args);
		return;
	}
	point.nr_args = (uint32_t)nr;
	if (note->semaphore)
		point.ref_ctr_offset = mp_elf_offset(elf, note->semaphore,
						     false);
	if (!point.offset || (note->semaphore && !point.ref_ctr_offset)) {
		mp_scan_warn(scan, "static probe %s points outside the file",
			     point.name);
		return;
	}
	mp_chooser_at(chooser, elf, &point);
	mp_scan_point(scan, &point);
}

static void add_note(const struct mp_chooser *chooser, const struct mp_elf *elf,
		     struct mp_scan *scan, const struct note *note)
{
	const bool is_sampler = !strcmp(note->provider, "otel_memory");

	if (!strcmp(note->provider, "memprof") && !strcmp(note->name, "section"))
		add_section(elf, scan, note);
	else if (is_sampler && !strcmp(note->name, "function"))
		set_record(elf, scan, note, &scan->functions);
	else if (is_sampler && !strcmp(note->name, "counter"))
		set_record(elf, scan, note, &scan->counters);
	else
		add_probe(chooser, elf, scan, note);
}

/* Finds .note.stapsdt and the address of .stapsdt.base. */
static Elf_Scn *find_notes(Elf *elf, uint64_t *base)
{
	Elf_Scn *section = NULL, *notes = NULL;
	const char *name;
	GElf_Shdr shdr;
	size_t names;

	*base = 0;
	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &shdr))
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (!name)
			continue;
		if (!strcmp(name, ".stapsdt.base"))
			*base = shdr.sh_addr;
		else if (!strcmp(name, ".note.stapsdt") &&
			 shdr.sh_type == SHT_NOTE)
			notes = section;
	}
	return notes;
}

void mp_usdt_find(const struct mp_chooser *chooser, const struct mp_elf *elf,
		  struct mp_scan *scan)
{
	uint64_t base;
	Elf_Scn *section = find_notes(elf->elf, &base);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t at = 0, name_at, desc_at;
	struct note note;
	GElf_Nhdr nhdr;

	while (data && (at = gelf_getnote(data, at, &nhdr, &name_at, &desc_at)))
		if (nhdr.n_type == STAPSDT_TYPE && nhdr.n_namesz == 8 &&
		    !memcmp((char *)data->d_buf + name_at, "stapsdt", 8) &&
		    read_note(&note, (char *)data->d_buf + desc_at,
			      nhdr.n_descsz, base))
			add_note(chooser, elf, scan, &note);
}
