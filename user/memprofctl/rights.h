/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rights: programs that gain some by exec, into which the loader loads nothing
 */
#ifndef MP_RIGHTS_H
#define MP_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Programs that are told; there are few of them. */
#define MP_RIGHTS_MAX	16

#define MP_RIGHTS_NAME	64

/**
 * struct mp_rights - those that were told; all zero is none
 */
struct mp_rights {
	char names[MP_RIGHTS_MAX][MP_RIGHTS_NAME];
	size_t nr;
};

/** mp_rights_gained - whether who runs the file gains rights */
bool mp_rights_gained(const char *path);

/**
 * mp_rights_watch - warn of those among the children of a process, and theirs
 *
 * Looks once: what came and went meanwhile is not seen. Each program is told once.
 */
void mp_rights_watch(struct mp_rights *rights, pid_t pid);

#endif
