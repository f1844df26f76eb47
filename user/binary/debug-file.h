/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debug-file: where the symbols of a stripped binary are
 */
#ifndef MP_DEBUG_FILE_H
#define MP_DEBUG_FILE_H

#include <elfutils/libdwfl.h>

/* The folder that distributions install debug files in. */
#define MP_DEBUG_DIR	"/usr/lib/debug"

/**
 * mp_debug_file_find - libdwfl's question for a debug file
 *
 * By the build-id in MP_DEBUG_DIR; else by the name in .gnu_debuglink, its last
 * part only, beside the binary, in .debug there, and below MP_DEBUG_DIR, if the
 * checksum fits. Never over the network, and only regular files are opened: the
 * binary is a stranger's.
 *
 * Return: a file descriptor, or -1.
 */
int mp_debug_file_find(Dwfl_Module *mod, void **userdata, const char *modname,
		       Dwarf_Addr base, const char *file_name,
		       const char *link, GElf_Word crc, char **found);

#endif
