/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loader: finds the binary and the libraries that a command will load
 */
#ifndef MP_LOADER_H
#define MP_LOADER_H

#include "record-options.h"

/**
 * mp_loader_find - find a command's file in PATH, as execvp() does
 * @path: out, PATH_MAX bytes, without symbolic links
 *
 * Return: true if the file was found.
 */
bool mp_loader_find(const char *command, char *path);

/**
 * mp_loader_find_all - add a command's binary and libraries to the files to
 * probe
 * @command: name or path, as for execvp()
 *
 * It runs the command's own loader, like ldd(1). Libraries that are not found
 * here, such as those of a script's interpreter, are probed only after the
 * command has mapped them, so the first calls may be missed.
 */
void mp_loader_find_all(const char *command, struct mp_record_options *options);

#endif
