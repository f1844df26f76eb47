/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refusal: processes into which no library is put, and why
 */
#ifndef MP_REFUSAL_H
#define MP_REFUSAL_H

#include "diag.h"

#include <stdbool.h>
#include <sys/types.h>

/**
 * mp_refuse_process - check what /proc says about a process
 *
 * Return: 0 if it may be tried, or a negative errno with the reason in @diag.
 */
int mp_refuse_process(pid_t pid, struct mp_diag *diag);

/**
 * mp_refuse_status - the part of mp_refuse_process() that a text decides
 * @status: the text of /proc/PID/status; empty if there is none
 */
int mp_refuse_status(pid_t pid, const char *status, struct mp_diag *diag);

/* Bytes of a program that tell its kind. */
#define MP_REFUSE_HEAD	20

/** mp_refuse_head - the part that the first bytes of the program decide */
int mp_refuse_head(pid_t pid, const unsigned char *head, struct mp_diag *diag);

/**
 * mp_refuse_static - check whether a process has a dynamic loader
 *
 * Source: /proc/PID/maps. Return: as mp_refuse_process().
 */
int mp_refuse_static(pid_t pid, struct mp_diag *diag);

/**
 * struct mp_refuse_machine - what can forbid to trace a process
 * @yama: first character of kernel.yama.ptrace_scope; '0' if there is none
 * @selinux: the same of enforce in SELinux's file system
 * @has_apparmor: AppArmor is there
 * @is_root: we are root
 */
struct mp_refuse_machine {
	char yama, selinux;
	bool has_apparmor, is_root;
};

/** mp_refuse_hint - the most probable reason, or a way out */
const char *mp_refuse_hint(const struct mp_refuse_machine *machine);

/**
 * mp_refuse_access - say why a process may not be traced
 * @err: what the kernel said
 *
 * Return: a negative errno.
 */
int mp_refuse_access(pid_t pid, int err, struct mp_diag *diag);

#endif
