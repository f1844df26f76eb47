/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * smaps: what processes hold, as the kernel adds it up for anyone
 */
#ifndef MP_SMAPS_H
#define MP_SMAPS_H

#include "profile.h"

#include <sys/types.h>

/**
 * mp_smaps_fill - the sizes of a process
 * @row: its levels are filled, and its peak
 *
 * Source: /proc/PID/smaps_rollup, /proc/PID/status. Walks the process's page
 * tables: milliseconds per GiB.
 *
 * Return: whether it lives, and may be looked at.
 */
bool mp_smaps_fill(pid_t pid, struct mp_row *row);

/**
 * mp_smaps_process - a row for a process, with name, cgroup and sizes
 *
 * Return: whether it lives, and may be looked at.
 */
bool mp_smaps_process(pid_t pid, struct mp_row *row);

#endif
