// SPDX-License-Identifier: GPL-2.0-only
/*
 * build-id: finds the build-id note of an ELF file through its program headers
 *
 * The file is untrusted, so the number of bytes read from it is limited.
 */
#include "build-id.h"
#include "elf-segment.h"
#include "regular-file.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#define MAX_NOTES	4096

static uint32_t find_note(const char *notes, size_t size, uint8_t *id)
{
	Elf64_Nhdr note;
	size_t name, desc;

	while (size >= sizeof(note)) {
		memcpy(&note, notes, sizeof(note));
		name = sizeof(note);
		desc = name + (((size_t)note.n_namesz + 3) & ~3UL);
		if (desc > size || note.n_descsz > size - desc)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) && note.n_descsz &&
		    note.n_descsz <= MP_BUILD_ID_SIZE) {
			memcpy(id, notes + desc, note.n_descsz);
			return note.n_descsz;
		}
		desc += ((size_t)note.n_descsz + 3) & ~3UL;
		if (desc > size)
			return 0;
		notes += desc;
		size -= desc;
	}
	return 0;
}

uint32_t mp_build_id_read_fd(int fd, uint8_t *id)
{
	char notes[MAX_NOTES];
	unsigned int first = 0;
	uint64_t offset, bytes;
	uint32_t size = 0;
	ssize_t got;

	memset(id, 0, MP_BUILD_ID_SIZE);
	while (!size && mp_elf_segment(fd, PT_NOTE, &first, &offset, &bytes)) {
		if (bytes > sizeof(notes))
			continue;
		got = pread(fd, notes, bytes, (off_t)offset);
		if (got > 0)
			size = find_note(notes, (size_t)got, id);
	}
	return size;
}

uint32_t mp_build_id_read(const char *path, uint8_t *id)
{
	int fd = mp_regular_open(path, NULL);
	uint32_t size = 0;

	memset(id, 0, MP_BUILD_ID_SIZE);
	if (fd >= 0) {
		size = mp_build_id_read_fd(fd, id);
		close(fd);
	}
	return size;
}
