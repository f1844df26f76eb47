// SPDX-License-Identifier: GPL-2.0-only
/*
 * debug-file: build-id, then debug link
 *
 * libdwfl's own search opens whatever a binary names, FIFOs included, and asks
 * the servers in $DEBUGINFOD_URLS; its search by build-id does neither. A file
 * that a debug link names is read once for its checksum.
 */
#include "debug-file.h"
#include "regular.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES	65536

/* Of IEEE 802.3, bits reversed. */
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

static int open_if_fits(const char *path, uint32_t crc, char **found)
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

static int find_by_link(const char *dir, const char *link, uint32_t crc,
			char **found)
{
	const char *slash = strrchr(link, '/');
	const char *name = slash ? slash + 1 : link;
	char real[PATH_MAX], path[2 * PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open_if_fits(path, crc, found);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "%s/.debug/%s", dir, name);
	fd = open_if_fits(path, crc, found);
	/* without links, and as its process sees it: not below /proc/PID/root */
	if (fd >= 0 || !realpath(dir, real))
		return fd;
	snprintf(path, sizeof(path), MP_DEBUG_DIR "%s/%s", real, name);
	return open_if_fits(path, crc, found);
}

int mp_debug_file_find(Dwfl_Module *mod, void **userdata, const char *modname,
		       Dwarf_Addr base, const char *file_name,
		       const char *link, GElf_Word crc, char **found)
{
	int fd = dwfl_build_id_find_debuginfo(mod, userdata, modname, base,
					      file_name, link, crc, found);
	const char *slash;
	char dir[PATH_MAX];

	if (fd >= 0 || !link || !file_name)
		return fd;
	slash = strrchr(file_name, '/');
	if (slash && slash - file_name >= PATH_MAX)
		return -1;
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - file_name) : 1,
		 slash ? file_name : ".");
	return find_by_link(dir, link, crc, found);
}
