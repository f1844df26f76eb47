/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * privileged-exec: programs that gain privileges by exec (setuid, capabilities); the
 * loader ignores LD_PRELOAD for them
 */
#ifndef MP_PRIVILEGED_EXEC_H
#define MP_PRIVILEGED_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Programs that are listed; there are few of them. */
#define MP_PRIVILEGED_EXEC_MAX	16

#define MP_PRIVILEGED_EXEC_NAME	64

/**
 * struct mp_privileged_exec - the names of those that were seen, each once; all zero
 * is none
 */
struct mp_privileged_exec {
	char names[MP_PRIVILEGED_EXEC_MAX][MP_PRIVILEGED_EXEC_NAME];
	size_t nr;
};

/** mp_privileged_exec_gained - check whether a process that runs the file gains privileges */
bool mp_privileged_exec_gained(const char *path);

/**
 * mp_privileged_exec_watch - look for such programs among a process's descendants
 *
 * Looks once: a program that came and went since the last look is not seen.
 */
void mp_privileged_exec_watch(struct mp_privileged_exec *privileged, pid_t pid);

#endif
