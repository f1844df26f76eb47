// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame-image: builds a small ELF file from the data that the child sends
 *
 * The sizes and references in the data are checked here, because a hostile file
 * may have taken over the child that read it. The image has segments without
 * contents, and one section for each part. Memory use is twice the size of the
 * parts: once for the child's answer and once for the image. Without memory
 * there is no image.
 */
#include "frame-image.h"
#include "frame-check.h"
#include "frame-tables-read.h"
#include "isolate.h"
#include "text.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A file takes milliseconds, but a file on a FUSE file system may take any time. */
#define PATIENCE_MS	3000
#define SECONDS		2

_Static_assert(MP_ISOLATE_WHY_SIZE == MP_FRAME_WHY_SIZE, "see frame-image.h");

/* Names of sections, whose offsets are in name_at[]. */
static const char names[] = "\0.eh_frame_hdr\0.eh_frame\0.debug_frame\0.shstrtab";
static const uint32_t name_at[] = {
	[MP_FRAME_HDR] = 1, [MP_FRAME_EH] = 15, [MP_FRAME_DEBUG] = 25,
};
#define NAMES_AT	38

/* The child's answer: header and parts. */
struct answer {
	const struct mp_frame_tables *tables;
	const uint8_t *data[MP_FRAME_PARTS];
	uint64_t size[MP_FRAME_PARTS];
};

static bool parse_answer(const struct mp_isolate_answer *sent, struct answer *answer)
{
	const uint8_t *at = (const uint8_t *)sent->data;
	size_t left = sent->size;
	int i;

	if (left < sizeof(*answer->tables))
		return false;
	answer->tables = (const void *)at;
	at += sizeof(*answer->tables);
	left -= sizeof(*answer->tables);
	for (i = 0; i < MP_FRAME_PARTS; i++) {
		answer->size[i] = answer->tables->size[i];
		if (answer->size[i] > left)
			return false;
		answer->data[i] = at;
		at += answer->size[i];
		left -= answer->size[i];
	}
	return answer->tables->nr_segments <= MP_FRAME_SEGMENTS;
}

/* Checks a part and cuts it after its last entry. Returns NULL, or why it is refused. */
static const char *check_part(struct answer *answer, enum mp_frame_part part)
{
	struct mp_frame_section section = {
		.data = answer->data[part], .size = answer->size[part],
		.address = answer->tables->address[part],
		.is_debug = part == MP_FRAME_DEBUG,
	};
	const char *why = mp_frame_check(&section);
	uint64_t *table = &answer->size[MP_FRAME_HDR];

	answer->size[part] = section.used;
	if (!why && part == MP_FRAME_EH && *table &&
	    !mp_frame_check_table(answer->data[MP_FRAME_HDR], *table,
				  answer->tables->address[MP_FRAME_HDR], &section))
		*table = 0;
	if (!why && (part == MP_FRAME_DEBUG || !*table) &&
	    section.nr_starts > MP_FRAME_UNSORTED)
		why = "too much of its call frame information is not sorted";
	free(section.starts);
	return why;
}

static const char *check_answer(struct answer *answer)
{
	const char *why = NULL;

	if (answer->size[MP_FRAME_EH])
		why = check_part(answer, MP_FRAME_EH);
	else
		answer->size[MP_FRAME_HDR] = 0;
	if (!why && answer->size[MP_FRAME_DEBUG])
		why = check_part(answer, MP_FRAME_DEBUG);
	return why;
}

/* Sets the range of addresses. Returns false if no segment contains code. */
static bool set_range(struct mp_frame_image *image,
		      const struct mp_frame_tables *tables)
{
	const struct mp_frame_segment *at = tables->segments;
	const struct mp_frame_segment *end = at + tables->nr_segments;
	bool code = false;

	image->low = UINT64_MAX;
	for (; at < end; at++) {
		if (at->address > INT64_MAX ||
		    at->memory_size > INT64_MAX - at->address)
			continue;
		if (at->address < image->low)
			image->low = at->address;
		if (at->address + at->memory_size > image->high)
			image->high = at->address + at->memory_size;
		if (at->flags & PF_X && !code) {
			image->code_address = at->address;
			image->code_offset = at->offset;
			code = true;
		}
	}
	return code;
}

/* The image has no contents of segments: libdwfl reads only their addresses. */
static void put_segments(Elf64_Phdr *to, const struct mp_frame_tables *tables)
{
	const struct mp_frame_segment *at = tables->segments;
	const struct mp_frame_segment *end = at + tables->nr_segments;

	for (; at < end; at++)
		*to++ = (Elf64_Phdr){
			.p_type = PT_LOAD, .p_flags = at->flags,
			.p_offset = at->offset, .p_vaddr = at->address,
			.p_paddr = at->address, .p_filesz = at->file_size,
			.p_memsz = at->memory_size, .p_align = at->align,
		};
}

static void put_header(char *data, const struct mp_frame_tables *tables,
		       size_t sections)
{
	*(Elf64_Ehdr *)data = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = tables->type, .e_machine = tables->machine,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)tables->nr_segments,
		.e_shoff = sections, .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = MP_FRAME_PARTS + 2, .e_shstrndx = MP_FRAME_PARTS + 1,
	};
}

/* A part without contents gets no name, so that libdw does not find it. */
static void put_parts(char *data, size_t sections, const struct answer *answer,
		      size_t at)
{
	Elf64_Shdr *to = (void *)(data + sections);
	int i;

	for (i = 0; i < MP_FRAME_PARTS; i++) {
		if (!answer->size[i])
			continue;
		to[1 + i] = (Elf64_Shdr){
			.sh_name = name_at[i], .sh_type = SHT_PROGBITS,
			.sh_flags = i == MP_FRAME_DEBUG ? 0 : SHF_ALLOC,
			.sh_addr = answer->tables->address[i], .sh_offset = at,
			.sh_size = answer->size[i], .sh_addralign = 1,
		};
		memcpy(data + at, answer->data[i], answer->size[i]);
		at += answer->size[i];
	}
	to[1 + MP_FRAME_PARTS] = (Elf64_Shdr){
		.sh_name = NAMES_AT, .sh_type = SHT_STRTAB, .sh_offset = at,
		.sh_size = sizeof(names), .sh_addralign = 1,
	};
	memcpy(data + at, names, sizeof(names));
}

static void make_image(struct mp_frame_image *image, const struct answer *answer)
{
	const struct mp_frame_tables *tables = answer->tables;
	size_t sections = sizeof(Elf64_Ehdr) +
			  tables->nr_segments * sizeof(Elf64_Phdr);
	size_t parts = sections + (MP_FRAME_PARTS + 2) * sizeof(Elf64_Shdr);
	int i;

	image->size = parts + sizeof(names);
	for (i = 0; i < MP_FRAME_PARTS; i++)
		image->size += answer->size[i];
	image->data = calloc(1, image->size);
	if (!image->data)
		return;
	put_header(image->data, tables, sections);
	put_segments((void *)(image->data + sizeof(Elf64_Ehdr)), tables);
	put_parts(image->data, sections, answer, parts);
}

#if defined(__x86_64__)
#define OWN_MACHINE	EM_X86_64
#else
#define OWN_MACHINE	EM_AARCH64
#endif

/*
 * Refuses object files, because libdwfl would relocate them, and files for
 * other machines, because libdwfl would load its module for that machine.
 */
static bool is_usable(const struct mp_frame_tables *tables)
{
	return tables->is_usable && tables->machine == OWN_MACHINE &&
	       (tables->type == ET_EXEC || tables->type == ET_DYN);
}

static void use_answer(const struct mp_isolate_answer *sent,
		       struct mp_frame_image *image, char *why)
{
	const char *reason;
	struct answer answer;

	if (!parse_answer(sent, &answer)) {
		strcpy(why, "its result is invalid: corrupt");
		return;
	}
	mp_text_escape(why, MP_FRAME_WHY_SIZE, answer.tables->why,
		       sizeof(answer.tables->why));
	if (*why || !is_usable(answer.tables) ||
	    !set_range(image, answer.tables))
		return;
	reason = check_answer(&answer);
	if (reason)
		strcpy(why, reason);
	else
		make_image(image, &answer);
}

void mp_frame_image_read(int fd, const struct mp_binary *binary,
			 struct mp_frame_image *image, char *why)
{
	struct mp_frame_question question = { fd, *binary };
	const struct mp_isolate_stream stream = {
		.isolate = {
			.context = &question, .context_size = sizeof(question),
			.fd = fd, .seconds = SECONDS,
			.patience_ms = PATIENCE_MS,
		},
		.send = mp_frame_tables_send,
		.max = MP_FRAME_TABLES_BYTES + sizeof(struct mp_frame_tables) + 1,
	};
	struct mp_isolate_answer answer;

	*image = (struct mp_frame_image){ 0 };
	*why = '\0';
	if (!mp_isolate_stream(&stream, &answer, why))
		return;
	use_answer(&answer, image, why);
	free(answer.data);
}
