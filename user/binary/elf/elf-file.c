// SPDX-License-Identifier: GPL-2.0-only
/*
 * elf-file: opens one file with libdwfl, without a process that runs it
 *
 * The file is mapped. If it is truncated meanwhile, SIGBUS is raised. This is
 * one reason why untrusted files are read in a child (see isolate.h). libdwfl
 * checks that tables are inside the file. This file and its callers check the
 * addresses, sizes and names in the tables.
 */
#include "elf-file.h"
#include "debug-file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_MACHINE	EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE	EM_AARCH64
#else
#define OWN_MACHINE	EM_NONE
#endif

/* More program headers than any linker makes. A hostile header may claim 2^32. */
#define MAX_PHDRS	1024

/* Used only by the search by build-id; libdwfl does not write to it. */
static char *debug_path = MP_DEBUG_DIR;

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = mp_debug_file_find,
	.debuginfo_path = &debug_path,
	.section_address = dwfl_offline_section_address,
};

static const char *check_header(int fd)
{
	Elf64_Ehdr header;
	struct stat st;

	if (fstat(fd, &st))
		return strerrordesc_np(errno);
	if (!S_ISREG(st.st_mode))
		return "not a regular file";
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG))
		return "not an ELF file";
	if (header.e_ident[EI_CLASS] == ELFCLASS32)
		return "a 32-bit program: not supported";
	if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return "an ELF file of an unknown kind";
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return "neither a program nor a library";
	if (header.e_machine != OWN_MACHINE)
		return "built for another machine";
	return NULL;
}

static size_t nr_phdrs(Elf *elf)
{
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return 0;
	return nr < MAX_PHDRS ? nr : MAX_PHDRS;
}

static bool is_pie(Elf *elf, const GElf_Phdr *phdr)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, phdr->p_offset,
					      phdr->p_filesz, ELF_T_DYN);
	size_t i, nr = data ? data->d_size / sizeof(Elf64_Dyn) : 0;
	GElf_Dyn dyn;

	for (i = 0; i < nr && gelf_getdyn(data, (int)i, &dyn); i++)
		if (dyn.d_tag == DT_FLAGS_1)
			return dyn.d_un.d_val & DF_1_PIE;
	return false;
}

/* A program without an interpreter is static; a library without an interpreter is not. */
static bool is_static(Elf *elf)
{
	size_t i, nr = nr_phdrs(elf);
	bool library = false;
	GElf_Phdr phdr;

	for (i = 0; i < nr && gelf_getphdr(elf, (int)i, &phdr); i++) {
		if (phdr.p_type == PT_INTERP)
			return false;
		if (phdr.p_type == PT_DYNAMIC)
			library = !is_pie(elf, &phdr);
	}
	return !library;
}

const char *mp_elf_open(struct mp_elf *elf, int fd, const char *path)
{
	const char *why = check_header(fd);
	GElf_Ehdr header;
	int own;

	*elf = (struct mp_elf){ .fd = fd };
	if (why)
		return why;
	elf->dwfl = dwfl_begin(&callbacks);
	if (!elf->dwfl)
		return "out of memory";
	/* libdwfl closes the file descriptor that it was given */
	own = dup(fd);
	elf->mod = own < 0 ? NULL :
		   dwfl_report_elf(elf->dwfl, path, path, own, 0, true);
	if (!elf->mod && own >= 0)
		close(own);
	if (elf->mod && !dwfl_report_end(elf->dwfl, NULL, NULL))
		elf->elf = dwfl_module_getelf(elf->mod, &elf->bias);
	if (!elf->elf || !gelf_getehdr(elf->elf, &header)) {
		mp_elf_close(elf);
		return "a corrupt ELF file";
	}
	elf->machine = header.e_machine;
	elf->is_static = is_static(elf->elf);
	return NULL;
}

bool mp_elf_is_build(const struct mp_elf *elf, const uint8_t *build_id,
		     size_t size)
{
	const unsigned char *id;
	GElf_Addr address;

	return !size || (dwfl_module_build_id(elf->mod, &id, &address) >=
			 (int)size && !memcmp(id, build_id, size));
}

void mp_elf_close(struct mp_elf *elf)
{
	dwfl_end(elf->dwfl);
	*elf = (struct mp_elf){ .fd = -1 };
}

size_t mp_elf_symbols(const struct mp_elf *elf,
		      bool (*take)(void *context, const struct mp_symbol *),
		      void *context)
{
	int i, nr = dwfl_module_getsymtab(elf->mod);
	struct mp_symbol symbol;
	GElf_Addr address;
	GElf_Word shndx;
	size_t given = 0;
	GElf_Sym sym;
	int type;

	for (i = 0; i < nr; i++) {
		symbol.name = dwfl_module_getsym_info(elf->mod, i, &sym,
						      &address, &shndx, NULL,
						      NULL);
		type = GELF_ST_TYPE(sym.st_info);
		if (!symbol.name || shndx == SHN_UNDEF ||
		    (type != STT_FUNC && type != STT_GNU_IFUNC))
			continue;
		symbol.address = address - elf->bias;
		symbol.size = sym.st_size;
		symbol.is_ifunc = type == STT_GNU_IFUNC;
		given++;
		if (!take(context, &symbol))
			break;
	}
	return given;
}

uint64_t mp_elf_offset(const struct mp_elf *elf, uint64_t address, bool code)
{
	size_t i, nr = nr_phdrs(elf->elf);
	GElf_Phdr phdr;

	for (i = 0; i < nr && gelf_getphdr(elf->elf, (int)i, &phdr); i++)
		if (phdr.p_type == PT_LOAD && address >= phdr.p_vaddr &&
		    address - phdr.p_vaddr < phdr.p_filesz &&
		    (!code || phdr.p_flags & PF_X))
			return address - phdr.p_vaddr + phdr.p_offset;
	return 0;
}

uint64_t mp_elf_address(const struct mp_elf *elf, uint64_t offset)
{
	size_t i, nr = nr_phdrs(elf->elf);
	GElf_Phdr phdr;

	for (i = 0; i < nr && gelf_getphdr(elf->elf, (int)i, &phdr); i++)
		if (phdr.p_type == PT_LOAD && offset >= phdr.p_offset &&
		    offset - phdr.p_offset < phdr.p_filesz &&
		    phdr.p_flags & PF_X)
			return offset - phdr.p_offset + phdr.p_vaddr;
	return 0;
}

size_t mp_elf_code(const struct mp_elf *elf, uint64_t address, void *buf,
		   size_t size)
{
	uint64_t offset = mp_elf_offset(elf, address, true);
	ssize_t got = offset && offset < INT64_MAX ?
		      pread(elf->fd, buf, size, (off_t)offset) : 0;

	return got > 0 ? (size_t)got : 0;
}
