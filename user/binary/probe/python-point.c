// SPDX-License-Identifier: GPL-2.0-only
/*
 * python-point: looks up the interpreter's variables and its function that runs functions
 */
#include "python-point.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	int type;
} wanted[] = {
	{ "_PyRuntime", STT_OBJECT }, { "PyCode_Type", STT_OBJECT },
	{ "Py_Version", STT_OBJECT }, { "_PyEval_EvalFrameDefault", STT_FUNC },
};

enum { RUNTIME, CODE_TYPE, VERSION, EVAL, NR_WANTED };

static void note_symbol(const char *name, const GElf_Sym *symbol, GElf_Sym *found)
{
	int i;

	for (i = 0; i < NR_WANTED; i++)
		if (GELF_ST_TYPE(symbol->st_info) == wanted[i].type &&
		    symbol->st_shndx != SHN_UNDEF && !strcmp(name, wanted[i].name))
			found[i] = *symbol;
}

static void read_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, GElf_Sym *found)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const char *name;
	GElf_Sym symbol;
	int i;

	for (i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name)
			note_symbol(name, &symbol, found);
	}
}

void mp_python_point_find(const struct mp_elf *elf, struct mp_python_point *python)
{
	GElf_Sym found[NR_WANTED] = { 0 };
	Elf_Scn *section = NULL;
	uint64_t version = 0, at;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			read_section(elf->elf, section, &header, found);
	if (!found[RUNTIME].st_value || !found[CODE_TYPE].st_value || !found[EVAL].st_value)
		return;
	at = mp_elf_offset(elf, found[VERSION].st_value, false);
	if (!at || pread(elf->fd, &version, sizeof(version), (off_t)at) != sizeof(version))
		version = 0;
	*python = (struct mp_python_point){
		.version = version,
		.runtime = mp_elf_offset(elf, found[RUNTIME].st_value, false),
		.code_type = mp_elf_offset(elf, found[CODE_TYPE].st_value, false),
		.eval = mp_elf_offset(elf, found[EVAL].st_value, true),
		.eval_size = found[EVAL].st_size,
	};
}
