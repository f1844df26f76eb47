// SPDX-License-Identifier: GPL-2.0-only
/*
 * debug-file: finds a debug file by build-id, then by debug link
 *
 * libdwfl's own search opens any path that a binary names, even a FIFO, and
 * asks the servers in $DEBUGINFOD_URLS. So only its search by build-id is used,
 * which does neither. A file named by a debug link is read once for its
 * checksum. Without a debug file the result is -1.
 */
#include "debug-file.h"
#include "isolate.h"
#include "packed-size.h"
#include "regular-file.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES	65536

/* The CRC polynomial of IEEE 802.3, bits reversed. */
#define POLYNOMIAL	0xedb88320U

static void fill_table(uint32_t table[256])
{
	uint32_t byte, crc;
	int bit;

	for (byte = 0; byte < 256; byte++) {
		crc = byte;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		table[byte] = crc;
	}
}

static bool has_crc(int fd, uint32_t wanted)
{
	static uint8_t chunk[CHUNK_BYTES];
	uint32_t table[256], crc = ~0U;
	off_t offset = 0;
	ssize_t got, i;

	fill_table(table);
	while ((got = pread(fd, chunk, sizeof(chunk), offset)) > 0) {
		for (i = 0; i < got; i++)
			crc = crc >> 8 ^ table[(crc ^ chunk[i]) & 0xff];
		offset += got;
	}
	return !got && ~crc == wanted;
}

static int open_if_crc(const char *path, uint32_t crc, char **found)
{
	int fd = mp_regular_open(path, NULL);

	if (fd < 0)
		return -1;
	if (has_crc(fd, crc)) {
		*found = strdup(path);
		if (*found)
			return fd;
	}
	close(fd);
	return -1;
}

static void note_tried(struct mp_debug_tried *tried, const char *path)
{
	if (!tried || tried->nr == MP_DEBUG_MAX_TRIED)
		return;
	tried->paths[tried->nr] = strdup(path);
	tried->nr += !!tried->paths[tried->nr];
}

static int try_path(struct mp_debug_tried *tried, const char *path, uint32_t crc,
		    char **found)
{
	note_tried(tried, path);
	return open_if_crc(path, crc, found);
}

static int find_by_link(struct mp_debug_tried *tried, const char *dir,
			const char *link, uint32_t crc, char **found)
{
	const char *slash = strrchr(link, '/');
	const char *name = slash ? slash + 1 : link;
	char real[PATH_MAX], path[2 * PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = try_path(tried, path, crc, found);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "%s/.debug/%s", dir, name);
	fd = try_path(tried, path, crc, found);
	/*
	 * distributions use the path without symbolic links in the process's
	 * namespace, not below /proc/PID/root
	 */
	if (fd >= 0 || !realpath(dir, real))
		return fd;
	snprintf(path, sizeof(path), MP_DEBUG_DIR "%s/%s", real, name);
	return try_path(tried, path, crc, found);
}

bool mp_debug_file_path(char *path, const uint8_t *build_id, size_t size)
{
	int put;
	size_t i;

	if (size < 2 || size > 20)
		return false;
	put = sprintf(path, MP_DEBUG_DIR "/.build-id/%02x/", build_id[0]);
	for (i = 1; i < size; i++)
		put += sprintf(path + put, "%02x", build_id[i]);
	strcpy(path + put, ".debug");
	return true;
}

static void note_build_id(struct mp_debug_tried *tried, Dwfl_Module *mod)
{
	char path[MP_DEBUG_PATH_SIZE];
	const unsigned char *id;
	GElf_Addr address;
	int size = dwfl_module_build_id(mod, &id, &address);

	if (size > 0 && mp_debug_file_path(path, id, size))
		note_tried(tried, path);
}

/* Opens the file that dwz wrote, if its build-id matches; else NULL. */
static Dwarf *open_alternate(const char *path, const void *id, size_t size)
{
	int fd = mp_regular_open(path, NULL);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *found = NULL;
	Dwarf *dwarf = NULL;

	if (elf && dwelf_elf_gnu_build_id(elf, &found) == (ssize_t)size &&
	    !memcmp(found, id, size) && mp_packed_is_bounded(elf))
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	/* a file that was opened stays open until this child process exits */
	if (!dwarf) {
		elf_end(elf);
		if (fd >= 0)
			close(fd);
	}
	return dwarf;
}

/* Like libdw: the path is relative to the file that contains it. */
static void alternate_path(char *path, const char *name, const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (name[0] == '/' || !slash)
		snprintf(path, PATH_MAX, "%s", name);
	else
		snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - file), file,
			 name);
}

bool mp_debug_file_alternate(Dwfl_Module *mod, Dwarf *dwarf)
{
	const char *name, *main_file, *debug_file, *file;
	char path[PATH_MAX];
	void **userdata;
	const void *id;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
	Dwarf *other;

	if (size <= 0)
		return !size;
	dwfl_module_info(mod, &userdata, NULL, NULL, NULL, NULL, &main_file,
			 &debug_file);
	file = debug_file ? debug_file : main_file;
	alternate_path(path, name, file);
	note_tried(*userdata, path);
	other = open_alternate(path, id, size);
	if (!other && mp_debug_file_path(path, id, size)) {
		note_tried(*userdata, path);
		other = open_alternate(path, id, size);
	}
	if (other)
		dwarf_setalt(dwarf, other);
	return other;
}

/* libdwfl maps the file, so its size is added to the memory limit. */
static void allow_file(int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && st.st_size > 0)
		mp_isolate_allow((size_t)st.st_size);
}

static int find_file(struct mp_debug_tried *tried, Dwfl_Module *mod, void **userdata,
		     const char *modname, Dwarf_Addr base, const char *file_name,
		     const char *link, GElf_Word crc, char **found)
{
	int fd = dwfl_build_id_find_debuginfo(mod, userdata, modname, base,
					      file_name, link, crc, found);
	const char *slash;
	char dir[PATH_MAX];

	note_build_id(tried, mod);
	if (fd >= 0 || !link || !file_name)
		return fd;
	slash = strrchr(file_name, '/');
	if (slash && slash - file_name >= PATH_MAX)
		return -1;
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - file_name) : 1,
		 slash ? file_name : ".");
	return find_by_link(tried, dir, link, crc, found);
}

int mp_debug_file_find(Dwfl_Module *mod, void **userdata, const char *modname,
		       Dwarf_Addr base, const char *file_name,
		       const char *link, GElf_Word crc, char **found)
{
	struct mp_debug_tried *tried = userdata ? *userdata : NULL;
	int fd = find_file(tried, mod, userdata, modname, base, file_name, link,
			   crc, found);

	if (fd < 0)
		return fd;
	if (mp_packed_is_bounded_in(fd)) {
		allow_file(fd);
		return fd;
	}
	if (tried)
		tried->is_too_large = true;
	close(fd);
	free(*found);
	*found = NULL;
	return -1;
}
