/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rights: programs that gain some by exec, into which the loader loads nothing
 */
#ifndef MP_PRIVILEGED_EXEC_H
#define MP_PRIVILEGED_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Programs that are told; there are few of them. */
#define MP_PRIVILEGED_EXEC_MAX	16

#define MP_PRIVILEGED_EXEC_NAME	64

/**
 * struct mp_privileged_exec - those that were told; all zero is none
 */
struct mp_privileged_exec {
	char names[MP_PRIVILEGED_EXEC_MAX][MP_PRIVILEGED_EXEC_NAME];
	size_t nr;
};

/** mp_privileged_exec_gained - whether who runs the file gains rights */
bool mp_privileged_exec_gained(const char *path);

/**
 * mp_privileged_exec_watch - warn of those among the children of a process, and theirs
 *
 * Looks once: what came and went meanwhile is not seen. Each program is told once.
 */
void mp_privileged_exec_watch(struct mp_privileged_exec *rights, pid_t pid);

#endif
