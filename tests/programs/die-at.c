// SPDX-License-Identifier: GPL-2.0-only
/*
 * die-at: a library for LD_PRELOAD that ends memprofctl by SIGKILL just before the
 * DIE_ATth of its calls of ptrace() and pwrite()
 *
 * These are the calls by which an injection changes its target.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <unistd.h>

static unsigned long nr;

static void count(void)
{
	const char *at = getenv("DIE_AT");

	if (at && ++nr == strtoul(at, NULL, 10)) {
		kill(getppid(), SIGKILL);
		raise(SIGKILL);
	}
}

long ptrace(enum __ptrace_request request, ...)
{
	static long (*next)(enum __ptrace_request, pid_t, void *, void *);
	va_list args;
	void *address, *data;
	pid_t pid;

	va_start(args, request);
	pid = va_arg(args, pid_t);
	address = va_arg(args, void *);
	data = va_arg(args, void *);
	va_end(args);
	if (!next)
		next = (long (*)(enum __ptrace_request, pid_t, void *, void *))
			dlsym(RTLD_NEXT, "ptrace");
	count();
	return next(request, pid, address, data);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	static ssize_t (*next)(int, const void *, size_t, off_t);

	if (!next)
		next = (ssize_t (*)(int, const void *, size_t, off_t))
			dlsym(RTLD_NEXT, "pwrite");
	count();
	return next(fd, data, size, offset);
}
