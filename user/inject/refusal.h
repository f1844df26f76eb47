/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refusal: processes into which no library is put, and why
 */
#ifndef MP_REFUSAL_H
#define MP_REFUSAL_H

#include "diag.h"

#include <sys/types.h>

/**
 * mp_refuse_process - check what /proc says about a process
 *
 * Return: 0 if it may be tried, or a negative errno with the reason in @diag.
 */
int mp_refuse_process(pid_t pid, struct mp_diag *diag);

/**
 * mp_refuse_static - check whether a process has a dynamic loader
 *
 * Source: /proc/PID/maps. Return: as mp_refuse_process().
 */
int mp_refuse_static(pid_t pid, struct mp_diag *diag);

/**
 * mp_refuse_access - say why a process may not be traced
 * @err: what the kernel said
 *
 * Return: a negative errno.
 */
int mp_refuse_access(pid_t pid, int err, struct mp_diag *diag);

#endif
