/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exclusions: the processes into which this machine's administrator wants nothing put
 */
#ifndef MP_EXCLUSIONS_H
#define MP_EXCLUSIONS_H

#include "diag.h"

#include <stdio.h>
#include <sys/types.h>

#define MP_EXCLUSIONS_FILE	"/etc/memprof/inject.conf"

/**
 * mp_exclusions_read - check a process against rules
 * @file: lines of "exclude-unit PATTERN" and "exclude-user NAME|UID"; a pattern, as in
 *	fnmatch(3), is for the name of the process's cgroup or of one above it. Empty
 *	lines, and what follows '#', are ignored
 * @cgroup: path of the process's cgroup; empty: not known
 * @user: real user id of the process
 *
 * Return: 0: no rule excludes the process. The number of the first line that does; the
 * negative number of the first line that is no rule, if it comes before.
 */
int mp_exclusions_read(FILE *file, const char *cgroup, uid_t user);

/**
 * mp_exclusions_refuse - check whether the administrator excludes a process
 *
 * Source: MP_EXCLUSIONS_FILE. Without this file nothing is excluded. With a file that
 * contains mistakes, or that others than root can write, everything is.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_exclusions_refuse(pid_t pid, struct mp_diag *diag);

#endif
