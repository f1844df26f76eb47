/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks: the threads that a list of processes means
 */
#ifndef MP_TASKS_H
#define MP_TASKS_H

#include "prober.h"

#include <stddef.h>

/**
 * mp_tasks_of - the threads of target processes, and of their descendants
 * @filter: says which are targets
 * @tasks: out, to be freed
 * @nr: out
 *
 * Return: 0; -ESRCH where there is none left; another negative errno.
 */
int mp_tasks_of(const struct mp_prober *filter, int **tasks, size_t *nr);

#endif
