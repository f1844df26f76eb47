// SPDX-License-Identifier: GPL-2.0-only
/*
 * build-id: program headers, notes
 *
 * The file is a stranger's: what is read of it is bounded.
 */
#include "build-id.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PHDRS	64
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

static uint32_t read_notes(int fd, uint8_t *id)
{
	char notes[MAX_NOTES];
	Elf64_Ehdr header;
	Elf64_Phdr phdr;
	uint32_t size = 0;
	ssize_t got;
	int i;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(phdr))
		return 0;
	for (i = 0; !size && i < header.e_phnum && i < MAX_PHDRS; i++) {
		if (pread(fd, &phdr, sizeof(phdr), (off_t)header.e_phoff +
			  i * (off_t)sizeof(phdr)) != sizeof(phdr))
			break;
		if (phdr.p_type != PT_NOTE || phdr.p_filesz > sizeof(notes))
			continue;
		got = pread(fd, notes, phdr.p_filesz, (off_t)phdr.p_offset);
		if (got > 0)
			size = find_note(notes, (size_t)got, id);
	}
	return size;
}

uint32_t mp_build_id_read(const char *path, uint8_t *id)
{
	int look = open(path, O_PATH | O_CLOEXEC), fd = -1;
	uint32_t size = 0;
	struct stat st;
	char self[32];

	memset(id, 0, MP_BUILD_ID_SIZE);
	if (look < 0)
		return 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", look);
	if (!fstat(look, &st) && S_ISREG(st.st_mode))
		fd = open(self, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read_notes(fd, id);
		close(fd);
	}
	close(look);
	return size;
}
