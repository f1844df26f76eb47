/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks: the threads that a list of processes means
 */
#ifndef MP_TASKS_H
#define MP_TASKS_H

#include "targets.h"

#include <stddef.h>

/**
 * mp_tasks_of - the threads of target processes, and of their descendants
 * @targets: processes only
 * @tasks: out, to be freed
 * @nr: out
 *
 * Return: 0; -ESRCH where there is none left; another negative errno.
 */
int mp_tasks_of(const struct mp_targets *targets, int **tasks, size_t *nr);

#endif
