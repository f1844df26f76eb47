// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * confine-hook.c: replaces prctl() in the host, to detect seccomp. Only libmemprof.so
 * contains it.
 *
 * If a host has confined itself by seccomp, an unexpected system call may kill it.
 * Before that the host calls prctl() with PR_SET_SECCOMP, or with
 * PR_SET_NO_NEW_PRIVS, which an unprivileged process needs for a filter and which
 * libseccomp always sets. After such a call this library only makes the system calls
 * that a sample needs. If the host does not use the C library for these calls, they
 * are not detected.
 */
#include "confinement.h"
#include "memprof_internal.h"
#include "next.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

static enum mp_confinement asked_for(int option, unsigned long mode)
{
	if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_STRICT)
		return MP_STRICT;
	return option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS ?
	       MP_CONFINED : MP_FREE;
}

MEMPROF_API int prctl(int option, ...)
{
	enum mp_confinement was = mp_confinement, will;
	unsigned long list[4];
	va_list args;
	int i, error;

	va_start(args, option);
	for (i = 0; i < 4; i++)
		list[i] = va_arg(args, unsigned long);
	va_end(args);
	will = asked_for(option, list[0]);
	if (will > was)
		__atomic_store_n(&mp_confinement, will, __ATOMIC_RELAXED);
	error = mp_next.prctl(option, list[0], list[1], list[2], list[3]);
	if (error && will > was)
		__atomic_store_n(&mp_confinement, was, __ATOMIC_RELAXED);
	return error;
}
