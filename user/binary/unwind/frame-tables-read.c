// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame-tables-read: reads call frame information in the isolated child
 *
 * Only three sections and the program headers are read, with pread() and
 * without a library. The rest of the file is not read, so its size does not
 * matter. Sections larger than MP_FRAME_TABLES_BYTES, before or after
 * decompression, are refused. If a file has no section headers, its program
 * headers are used.
 */
#include "frame-tables-read.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Limits that no linker reaches. */
#define MAX_PHDRS	1024
#define MAX_SECTIONS	4096
#define MAX_NAMES	(1U << 20)
#define MAX_NOTES	4096

#define TOO_LARGE	"its call frame information is too large"
#define NOT_THERE	"its call frame information is not in the file"

struct source {
	int fd;
	struct mp_frame_tables *tables;
	Elf64_Phdr *phdrs;
	size_t nr_phdrs;
	char *data[MP_FRAME_PARTS];
	size_t left;			/* bytes that may still be read */
};

static void refuse(struct source *source, const char *why)
{
	strcpy(source->tables->why, why);
}

static bool read_at(int fd, void *data, size_t size, uint64_t offset)
{
	ssize_t got;

	for (; size && offset <= INT64_MAX; size -= got, offset += got) {
		got = pread(fd, data, size, (off_t)offset);
		if (got <= 0)
			return false;
		data = (char *)data + got;
	}
	return !size;
}

/* Reads into new memory, which the caller frees; NULL on failure. */
static void *read_new(int fd, size_t size, uint64_t offset)
{
	void *data = malloc(size + 1);

	if (data && read_at(fd, data, size, offset))
		return data;
	free(data);
	return NULL;
}

static char *inflate_section(struct source *source, char *packed, uint64_t *size)
{
	Elf64_Chdr head;
	char *data = NULL;
	uLongf room;

	if (*size < sizeof(head))
		return NULL;
	memcpy(&head, packed, sizeof(head));
	if (head.ch_type != ELFCOMPRESS_ZLIB)
		return NULL;
	if (head.ch_size > source->left) {
		refuse(source, TOO_LARGE);
		return NULL;
	}
	room = head.ch_size;
	data = malloc(head.ch_size + 1);
	if (data && uncompress((Bytef *)data, &room, (Bytef *)packed + sizeof(head),
			       *size - sizeof(head)) == Z_OK &&
	    room == head.ch_size) {
		*size = head.ch_size;
		return data;
	}
	free(data);
	return NULL;
}

/* If a compressed section cannot be decompressed, it is treated as missing. */
static void read_part(struct source *source, enum mp_frame_part part,
		      const Elf64_Shdr *shdr)
{
	uint64_t size = shdr->sh_size;
	char *data, *packed;

	if (source->data[part] || shdr->sh_type == SHT_NOBITS || !size)
		return;
	if (size > source->left) {
		refuse(source, TOO_LARGE);
		return;
	}
	data = read_new(source->fd, size, shdr->sh_offset);
	if (!data) {
		refuse(source, NOT_THERE);
		return;
	}
	if (shdr->sh_flags & SHF_COMPRESSED) {
		packed = data;
		data = inflate_section(source, packed, &size);
		free(packed);
		if (!data)
			return;
	}
	source->left -= size;
	source->data[part] = data;
	source->tables->size[part] = size;
	source->tables->address[part] = shdr->sh_addr;
}

static void read_named(struct source *source, const Elf64_Shdr *shdr, const char *name)
{
	static const char *const names[] = {
		[MP_FRAME_HDR] = ".eh_frame_hdr", [MP_FRAME_EH] = ".eh_frame",
		[MP_FRAME_DEBUG] = ".debug_frame",
	};
	int i;

	for (i = 0; i < MP_FRAME_PARTS; i++)
		if (!strcmp(name, names[i]))
			read_part(source, i, shdr);
}

static void read_sections(struct source *source, const Elf64_Ehdr *header)
{
	size_t size = header->e_shnum * sizeof(Elf64_Shdr), i;
	Elf64_Shdr *shdrs, *at;
	char *names = NULL;

	if (header->e_shentsize != sizeof(Elf64_Shdr) ||
	    header->e_shnum > MAX_SECTIONS ||
	    header->e_shstrndx >= header->e_shnum)
		return;
	shdrs = read_new(source->fd, size, header->e_shoff);
	at = shdrs ? &shdrs[header->e_shstrndx] : NULL;
	if (at && at->sh_size <= MAX_NAMES)
		names = read_new(source->fd, at->sh_size, at->sh_offset);
	if (names) {
		names[at->sh_size] = '\0';
		for (i = 0; i < header->e_shnum; i++)
			if (shdrs[i].sh_name < at->sh_size)
				read_named(source, &shdrs[i],
					   names + shdrs[i].sh_name);
	}
	free(names);
	free(shdrs);
}

/* Sets @shdr to the rest of the segment that contains @address. */
static bool rest_of_segment(const struct source *source, uint64_t address,
			    Elf64_Shdr *shdr)
{
	const Elf64_Phdr *phdr;
	size_t i;

	for (i = 0; i < source->nr_phdrs; i++) {
		phdr = &source->phdrs[i];
		if (phdr->p_type == PT_LOAD && address >= phdr->p_vaddr &&
		    address - phdr->p_vaddr < phdr->p_filesz) {
			shdr->sh_addr = address;
			shdr->sh_offset = phdr->p_offset + address - phdr->p_vaddr;
			shdr->sh_size = phdr->p_filesz - (address - phdr->p_vaddr);
			return true;
		}
	}
	return false;
}

/* For files without section headers: .eh_frame_hdr contains the address of .eh_frame. */
static void read_segments(struct source *source)
{
	const uint8_t pcrel[] = { 1, 0x1b };
	Elf64_Shdr shdr = { .sh_type = SHT_PROGBITS };
	const Elf64_Phdr *phdr;
	int32_t distance;
	size_t i;

	for (i = 0; i < source->nr_phdrs && !source->data[MP_FRAME_HDR]; i++) {
		phdr = &source->phdrs[i];
		if (phdr->p_type != PT_GNU_EH_FRAME || phdr->p_filesz < 8)
			continue;
		shdr.sh_addr = phdr->p_vaddr;
		shdr.sh_offset = phdr->p_offset;
		shdr.sh_size = phdr->p_filesz;
		read_part(source, MP_FRAME_HDR, &shdr);
		if (!source->data[MP_FRAME_HDR] ||
		    memcmp(source->data[MP_FRAME_HDR], pcrel, sizeof(pcrel)))
			continue;
		memcpy(&distance, source->data[MP_FRAME_HDR] + 4,
		       sizeof(distance));
		if (rest_of_segment(source, phdr->p_vaddr + 4 + distance, &shdr))
			read_part(source, MP_FRAME_EH, &shdr);
	}
}

static bool is_build_in(const char *notes, size_t size,
			const struct mp_binary *binary)
{
	Elf64_Nhdr note;
	size_t at = 0, name, text;

	while (size - at >= sizeof(note)) {
		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		text = name + (((size_t)note.n_namesz + 3) & ~(size_t)3);
		at = text + (((size_t)note.n_descsz + 3) & ~(size_t)3);
		if (at > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4))
			return note.n_descsz >= binary->build_id_size &&
			       !memcmp(notes + text, binary->build_id,
				       binary->build_id_size);
	}
	return false;
}

/* If another file replaced the binary, its call frame information would be wrong. */
static bool is_build(const struct source *source, const struct mp_binary *binary)
{
	const Elf64_Phdr *phdr;
	bool is_same = !binary->build_id_size;
	char *notes;
	size_t i;

	for (i = 0; i < source->nr_phdrs && !is_same; i++) {
		phdr = &source->phdrs[i];
		if (phdr->p_type != PT_NOTE || phdr->p_filesz > MAX_NOTES)
			continue;
		notes = read_new(source->fd, phdr->p_filesz, phdr->p_offset);
		is_same = notes && is_build_in(notes, phdr->p_filesz, binary);
		free(notes);
	}
	return is_same;
}

static void list_segments(struct source *source)
{
	struct mp_frame_tables *tables = source->tables;
	const Elf64_Phdr *phdr;
	size_t i;

	for (i = 0; i < source->nr_phdrs; i++) {
		phdr = &source->phdrs[i];
		if (phdr->p_type == PT_LOAD &&
		    tables->nr_segments < MP_FRAME_SEGMENTS)
			tables->segments[tables->nr_segments++] =
				(struct mp_frame_segment){
					.address = phdr->p_vaddr,
					.offset = phdr->p_offset,
					.file_size = phdr->p_filesz,
					.memory_size = phdr->p_memsz,
					.align = phdr->p_align,
					.flags = phdr->p_flags,
				};
	}
}

static void read_file(struct source *source, const struct mp_binary *binary)
{
	struct mp_frame_tables *tables = source->tables;
	Elf64_Ehdr header;

	if (!read_at(source->fd, &header, sizeof(header), 0) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_phentsize != sizeof(Elf64_Phdr) ||
	    header.e_phnum > MAX_PHDRS)
		return;
	tables->machine = header.e_machine;
	tables->type = header.e_type;
	source->phdrs = read_new(source->fd, header.e_phnum * sizeof(Elf64_Phdr),
				 header.e_phoff);
	source->nr_phdrs = source->phdrs ? header.e_phnum : 0;
	if (!is_build(source, binary))
		return;
	tables->is_usable = true;
	list_segments(source);
	read_sections(source, &header);
	if (!tables->why[0] && !source->data[MP_FRAME_EH] &&
	    !source->data[MP_FRAME_HDR])
		read_segments(source);
}

bool mp_frame_tables_send(void *context, FILE *to)
{
	const struct mp_frame_question *question = context;
	struct mp_frame_tables tables = { 0 };
	struct source source = {
		.fd = question->fd, .tables = &tables,
		.left = MP_FRAME_TABLES_BYTES,
	};
	int i;

	read_file(&source, &question->binary);
	if (tables.why[0])
		memset(tables.size, 0, sizeof(tables.size));
	if (fwrite(&tables, sizeof(tables), 1, to) != 1)
		return false;
	for (i = 0; i < MP_FRAME_PARTS; i++)
		if (tables.size[i] &&
		    fwrite(source.data[i], tables.size[i], 1, to) != 1)
			return false;
	return true;
}
