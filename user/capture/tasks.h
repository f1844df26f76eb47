/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks: lists the threads of the target processes
 */
#ifndef MP_TASKS_H
#define MP_TASKS_H

#include "prober.h"

#include <stddef.h>

/**
 * mp_tasks_of - list the threads of target processes and of their descendants
 * @filter: recognises the processes of targets
 * @tasks: out, to be freed
 * @nr: out, number of @tasks
 *
 * Return: 0; -ESRCH if no target runs; another negative errno.
 */
int mp_tasks_of(const struct mp_prober *filter, int **tasks, size_t *nr);

#endif
