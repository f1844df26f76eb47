/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-map: finds the names of code that a process generated at run time
 */
#ifndef MP_PERF_MAP_H
#define MP_PERF_MAP_H

#include "symbols.h"

#include <sys/types.h>

/**
 * mp_symbolise_jit - find addresses in /tmp/perf-PID.map, which runtimes write
 * for perf
 * @pid: the process
 * @spots: addresses; sorted here. Out: runs of one line without a file
 * @nr: number of @spots
 * @symbols: the runs are appended
 *
 * The file is searched in /tmp of the process's mount namespace, named by its
 * pid there, then in our /tmp. It must belong to the process's user; in our
 * /tmp it may also belong to root. If the process exited, it must belong to our
 * user. It is read in a child for at most 5 s, and only its first 256 MiB.
 *
 * Without such a file, jit-PID.dump is read: where the process has mapped it, or, if the
 * process exited, in /tmp or in the current folder.
 *
 * Return: 0; a negative errno if there is no file or it must not be read; -EIO if
 * reading it failed or took too long.
 */
int mp_symbolise_jit(pid_t pid, struct mp_spot *spots, size_t nr,
		     struct mp_symbols *symbols);

#endif
