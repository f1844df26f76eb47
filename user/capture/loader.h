/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loader: the binary and the libraries that a command will load
 */
#ifndef MP_LOADER_H
#define MP_LOADER_H

#include "record-options.h"

/**
 * mp_loader_find - find a command's file, as execvp() does
 * @path: out, PATH_MAX bytes, without symbolic links
 *
 * Return: true if there is one.
 */
bool mp_loader_find(const char *command, char *path);

/**
 * mp_loader_find_all - add a command's binary and libraries to the files that are probed
 * @command: as execvp() takes it
 *
 * Asks the command's own loader, as ldd(1) does. Libraries that are not found here, such
 * as those of a script's interpreter, are probed when they are mapped, a little late.
 */
void mp_loader_find_all(const char *command, struct mp_record_options *options);

#endif
