/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process: the processes of the machine
 */
#ifndef MP_PROCESS_H
#define MP_PROCESS_H

#include <sys/types.h>

/**
 * mp_process_each - every process, as far as this one may see them
 * @take: called for each; it may be gone by then
 *
 * Source: /proc.
 *
 * Return: 0, or a negative errno.
 */
int mp_process_each(void (*take)(void *context, pid_t pid), void *context);

#endif
