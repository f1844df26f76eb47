/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inject: puts libmemprof into a running process, and takes it out again
 */
#ifndef MP_INJECT_H
#define MP_INJECT_H

#include "diag.h"

#include <memprof/attach.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_inject_options - how to sample the process
 * @library: path of libmemprof.so, as this process sees it
 * @flags: MEMPROF_ATTACH_PAUSED and similar
 * @rate: mean bytes between samples; 0: the library's default
 * @pace: samples a second that a thread takes at most; 0: any number
 * @out: name of the region's file, as MEMPROF_OUT has it; NULL: the default
 */
struct mp_inject_options {
	const char *library;
	uint32_t flags;
	uint64_t rate;
	uint32_t pace;
	const char *out;
};

/**
 * struct mp_injection - what was done to a process
 * @thread: the thread that was borrowed; all others kept running
 * @tries: stops of threads until one was found that could be borrowed
 * @paused_ns: how long that thread stood still, in nanoseconds
 * @loaded: path by which the library was loaded; empty if it was there already
 * @attachment: the results of memprof_attach()
 * @nr_restored: calls and pointers that memprof_detach() led back
 */
struct mp_injection {
	pid_t thread;
	uint32_t tries;
	uint64_t paused_ns;
	char loaded[64];
	struct memprof_attachment attachment;
	int nr_restored;
};

/**
 * mp_inject - load the library into a process and begin to sample it
 * @result: out
 *
 * One thread of the process loads the library with dlopen(). If this program dies
 * meanwhile, the thread carries on with what it did before. The call is written to the
 * system's log.
 *
 * Return: 0; -EALREADY if the process is sampled already; another negative errno. The
 * reason is in @diag.
 */
int mp_inject(pid_t pid, const struct mp_inject_options *options,
	      struct mp_injection *result, struct mp_diag *diag);

/**
 * mp_inject_is_there - check whether a process has the library, in whatever way
 *
 * Source: /proc/PID/maps. The library may have been ejected: it stays loaded.
 */
bool mp_inject_is_there(pid_t pid);

/**
 * mp_inject_check - check whether a process could be given the library
 *
 * Nothing is stopped. So an injection can still be refused by what only the process's
 * memory shows.
 *
 * Source: /proc/PID, and the administrator's exclusions.
 *
 * Return: 0, or a negative errno with the reason in @diag; -ESRCH: it has ended, or is a
 * thread of the kernel.
 */
int mp_inject_check(pid_t pid, struct mp_diag *diag);

/**
 * mp_eject - lead all calls of a process back to its allocator
 * @result: out
 *
 * The library stays loaded, because a call may be inside it at any time.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_eject(pid_t pid, struct mp_injection *result, struct mp_diag *diag);

#endif
