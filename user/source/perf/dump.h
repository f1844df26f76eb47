/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dump: prints the records of a recording as text
 */
#ifndef MP_DUMP_H
#define MP_DUMP_H

#include "perf-file.h"

/**
 * mp_dump - print each record of a recording on a line
 * @why: out, MP_PERF_FILE_WHY_SIZE bytes: what is wrong with the file
 *
 * Records before an error in the file are printed.
 *
 * Return: 0; -EBADMSG with @why; or another negative errno.
 */
int mp_dump(const char *path, FILE *to, char *why);

#endif
