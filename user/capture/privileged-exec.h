/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * privileged-exec: finds programs that gain privileges by exec (setuid,
 * capabilities)
 *
 * The loader ignores LD_PRELOAD for such programs.
 */
#ifndef MP_PRIVILEGED_EXEC_H
#define MP_PRIVILEGED_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Limit of programs that are listed. */
#define MP_PRIVILEGED_EXEC_MAX	16

#define MP_PRIVILEGED_EXEC_NAME	64

/** struct mp_privileged_exec - names of such programs, each once; all zero means empty */
struct mp_privileged_exec {
	char names[MP_PRIVILEGED_EXEC_MAX][MP_PRIVILEGED_EXEC_NAME];
	size_t nr;
};

/** mp_privileged_exec_gained - check whether executing a file gives privileges */
bool mp_privileged_exec_gained(const char *path);

/**
 * mp_privileged_exec_watch - search such programs among a process's descendants
 *
 * It searches once: a program that started and exited since the last call is
 * missed.
 */
void mp_privileged_exec_watch(struct mp_privileged_exec *privileged, pid_t pid);

#endif
