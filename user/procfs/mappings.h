/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mappings: reads the mappings of /proc/PID/smaps and finds the class of each
 */
#ifndef MP_SOURCE_MAPPINGS_H
#define MP_SOURCE_MAPPINGS_H

#include "residence.h"

#include <stdio.h>
#include <sys/types.h>

/**
 * mp_mappings_parse - parse the text of smaps
 * @mappings: must be empty; mappings are added in order
 *
 * Unknown lines are skipped. Mappings that overlap earlier ones are left out. So a
 * process that chooses misleading file names can only put its own mappings into a
 * wrong class.
 *
 * The stack of a thread is recognised only if a guard is below it.
 * mp_stacks_mark() finds more stacks.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_mappings_parse(FILE *file, struct mp_mappings *mappings);

/**
 * mp_mappings_read - read the mappings of a process
 * @mappings: must be empty
 *
 * Source: /proc/PID/smaps. The kernel walks the process's page tables, which takes
 * about a millisecond per hundred mappings or per GiB. Reading ends at MP_MAX_MAPPINGS;
 * then @rest is of /proc/PID/status, and @nr_cut is 1.
 *
 * Return: 0, or a negative errno: -ESRCH if nothing is mapped, as for a kernel
 * thread or a process that exited.
 */
int mp_mappings_read(pid_t pid, struct mp_mappings *mappings);

#endif
