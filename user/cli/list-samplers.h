/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * list-samplers: shows which processes have libmemprof, and which could have it
 */
#ifndef MP_LIST_SAMPLERS_H
#define MP_LIST_SAMPLERS_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * mp_list_samplers - print a line for each process
 * @pids: the processes; if @nr is 0, all but the threads of the kernel
 * @json: as JSON objects
 *
 * Return: exit status: it fails if one of @pids does not exist.
 */
int mp_list_samplers(const pid_t *pids, unsigned int nr, bool json);

#endif
