/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-map: names of code that a process made itself
 */
#ifndef MP_PERF_MAP_H
#define MP_PERF_MAP_H

#include "symbols.h"

#include <sys/types.h>

/**
 * mp_symbolise_jit - look up addresses in the /tmp/perf-PID.map that runtimes
 * write for perf
 * @pid: the process
 * @spots: addresses; sorted here; out: runs of one line without a file
 * @nr: how many
 * @symbols: the runs are appended
 *
 * Source: /tmp as the process sees it, with the number that it has there; else
 * our own. The file must be the process's user's, or root's, or, where the
 * process is gone, our own.
 *
 * Return: 0, or a negative errno: there is none, or it is not to be read.
 */
int mp_symbolise_jit(pid_t pid, struct mp_spot *spots, size_t nr,
		     struct mp_symbols *symbols);

#endif
