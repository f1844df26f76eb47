/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debug-file: finds the file with the symbols of a stripped binary
 */
#ifndef MP_DEBUG_FILE_H
#define MP_DEBUG_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Folder in which distributions install debug files. */
#define MP_DEBUG_DIR	"/usr/lib/debug"

/* Size for the path of a debug file that is found by build-id. */
#define MP_DEBUG_PATH_SIZE	96

#define MP_DEBUG_MAX_TRIED	5

/**
 * struct mp_debug_tried - paths where a debug file was searched
 * @paths: the caller frees each
 * @nr: number of @paths
 * @is_too_large: a debug file was found but its sections are too large, see
 *	packed-size.h
 */
struct mp_debug_tried {
	char *paths[MP_DEBUG_MAX_TRIED];
	unsigned int nr;
	bool is_too_large;
};

/**
 * mp_debug_file_path - path where distributions install the debug file of a
 * build-id
 * @path: out; MP_DEBUG_PATH_SIZE bytes
 *
 * Return: false for a build-id of invalid size.
 */
bool mp_debug_file_path(char *path, const uint8_t *build_id, size_t size);

/**
 * mp_debug_file_alternate - find the file in which dwz put common parts of
 * debug files
 * @dwarf: DWARF of the module
 *
 * Without this, libdw would open any path that the debug file names.
 *
 * Return: false if the debug file needs such a file and it was not found. Then
 * its DWARF must not be used.
 */
bool mp_debug_file_alternate(Dwfl_Module *mod, Dwarf *dwarf);

/**
 * mp_debug_file_find - libdwfl's callback that finds a debug file
 *
 * It searches MP_DEBUG_DIR by build-id. Then it searches for the last component
 * of the name in .gnu_debuglink: beside the binary, in .debug there, and below
 * MP_DEBUG_DIR. The checksum must match. The binary is untrusted, so only
 * regular files are opened, and no server is asked. If the module's user data
 * is not NULL, it is a struct mp_debug_tried, to which the paths are added.
 *
 * Return: a file descriptor, or -1, also if its compressed sections would
 * become too large.
 */
int mp_debug_file_find(Dwfl_Module *mod, void **userdata, const char *modname,
		       Dwarf_Addr base, const char *file_name,
		       const char *link, GElf_Word crc, char **found);

#endif
