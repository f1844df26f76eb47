/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loader: the libraries that a command will load
 */
#ifndef MP_LOADER_H
#define MP_LOADER_H

#include "record-options.h"

/**
 * mp_loader_find - the file that a command is, as execvp() finds it
 * @path: out, PATH_MAX bytes, without links
 *
 * Return: whether there is one.
 */
bool mp_loader_find(const char *command, char *path);

/**
 * mp_loader_find_all - add a command's binary and libraries to what is probed
 * @command: as execvp() takes it
 *
 * Asks the command's own loader, as ldd(1) does. What cannot be found out, as of
 * scripts, is found when it is mapped, a little late.
 */
void mp_loader_find_all(const char *command, struct mp_record_options *options);

#endif
