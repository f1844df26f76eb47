/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debug-file: where the symbols of a stripped binary are
 */
#ifndef MP_DEBUG_FILE_H
#define MP_DEBUG_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The folder that distributions install debug files in. */
#define MP_DEBUG_DIR	"/usr/lib/debug"

/* Room for the path of a debug file by its build-id. */
#define MP_DEBUG_PATH_SIZE	96

#define MP_DEBUG_MAX_TRIED	5

/**
 * struct mp_debug_tried - paths at which a debug file was looked for
 * @paths: each to be freed
 */
struct mp_debug_tried {
	char *paths[MP_DEBUG_MAX_TRIED];
	unsigned int nr;
};

/**
 * mp_debug_file_path - where distributions install the debug file of a build
 * @path: out, MP_DEBUG_PATH_SIZE bytes
 *
 * Return: whether a build-id of that size has one.
 */
bool mp_debug_file_path(char *path, const uint8_t *build_id, size_t size);

/**
 * mp_debug_file_alternate - find what dwz took out of several debug files
 * @dwarf: of the module
 *
 * libdw would open any path that the file names; after this it opens none.
 *
 * Return: false where the file has such a part and it is not there: then its
 * DWARF is not to be used.
 */
bool mp_debug_file_alternate(Dwfl_Module *mod, Dwarf *dwarf);

/**
 * mp_debug_file_find - libdwfl's question for a debug file
 *
 * By the build-id in MP_DEBUG_DIR; else by the name in .gnu_debuglink, its last
 * part only, beside the binary, in .debug there, and below MP_DEBUG_DIR, if the
 * checksum fits. Never over the network, and only regular files are opened: the
 * binary is a stranger's. Where the module's user data is not NULL it is a
 * struct mp_debug_tried, and gets the paths.
 *
 * Return: a file descriptor, or -1.
 */
int mp_debug_file_find(Dwfl_Module *mod, void **userdata, const char *modname,
		       Dwarf_Addr base, const char *file_name,
		       const char *link, GElf_Word crc, char **found);

#endif
