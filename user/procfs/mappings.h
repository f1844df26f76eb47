/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mappings: /proc/PID/smaps, and what each line of it is for
 */
#ifndef MP_SOURCE_MAPPINGS_H
#define MP_SOURCE_MAPPINGS_H

#include "residence.h"

#include <stdio.h>
#include <sys/types.h>

/**
 * mp_mappings_parse - read the text of smaps
 * @mappings: empty; those that are there are added, in order
 *
 * Lines that are none of smaps's are passed over, mappings that overlap earlier
 * ones are left out: what a process calls its files cannot do more than put one
 * of its own mappings under another heading.
 *
 * Stacks of threads are not told from other anonymous memory unless a guard is
 * below them: mp_stacks_mark() knows more.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_mappings_parse(FILE *file, struct mp_mappings *mappings);

/**
 * mp_mappings_read - read those of a process
 * @mappings: empty
 *
 * Source: /proc/PID/smaps. Walks the process's page tables: about a millisecond
 * per hundred mappings or per GiB.
 *
 * Return: 0, or a negative errno: -ESRCH where nothing is mapped, as of a kernel
 * thread and of a process that ended.
 */
int mp_mappings_read(pid_t pid, struct mp_mappings *mappings);

#endif
