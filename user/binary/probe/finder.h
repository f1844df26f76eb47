/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * finder: finds the allocators in a file, a process, or the whole machine
 *
 * Each file is examined once, even if many processes map it.
 */
#ifndef MP_FINDER_H
#define MP_FINDER_H

#include "file-set.h"
#include "alloc-function.h"
#include "exec-mapping.h"
#include "scan.h"

#include <sys/stat.h>
#include <sys/types.h>

/**
 * struct mp_found - an examined file
 * @fd: the file; closed after the callback
 * @path: path in the process's namespace; untrusted
 * @pid: the process; 0: none
 * @scan: result of the examination
 */
struct mp_found {
	int fd;
	const char *path;
	pid_t pid;
	const struct mp_scan *scan;
};

/**
 * struct mp_finder - callbacks and state
 * @user: additional functions; may be NULL
 * @named: only files are looked at whose path has this in it; NULL: all
 * @found: called for each examined file, also without an allocator
 * @mapped: called for each mapping of a process, also of a file that was examined before,
 *	with what fstat() and /proc/PID/maps say of its file; may be NULL
 * @skipped: called for each file that could not be examined; may be NULL
 * @context: passed to each callback
 * @seen: files that were examined
 * @awaited: inode that mp_finder_await() waits for, or 0
 * @met: the awaited inode was found
 */
struct mp_finder {
	const struct mp_user_functions *user;
	const char *named;
	void (*found)(void *context, const struct mp_found *found);
	void (*mapped)(void *context, pid_t pid, const struct stat *st,
		       const struct mp_exec_mapping *mapping);
	void (*skipped)(void *context, const char *path, const char *why);
	void *context;
	struct mp_file_set seen;
	uint64_t awaited;
	bool met;
};

/**
 * mp_finder_file - examine a file by its path
 *
 * Return: 0, or a negative errno if it cannot be opened.
 */
int mp_finder_file(struct mp_finder *finder, const char *path);

/**
 * mp_finder_process - examine the files whose code a process has mapped
 *
 * Return: 0, or a negative errno if its mappings cannot be read.
 */
int mp_finder_process(struct mp_finder *finder, pid_t pid);

/**
 * mp_finder_await - examine the files of a process and check for one of them
 * @inode: inode of the expected file. Its device is not compared, because the
 *	kernel reports several devices for one file (btrfs, overlayfs)
 *
 * Return: true if the process maps that file. Then the file was examined, now
 * or earlier, or it was refused.
 */
bool mp_finder_await(struct mp_finder *finder, pid_t pid, uint64_t inode);

/**
 * mp_finder_machine - examine the files of all processes that @wanted accepts
 * @wanted: called for each process; NULL: all processes
 * @context: passed to @wanted
 *
 * Processes that exited, or that must not be read, are skipped.
 *
 * Return: number of processes that were read, or a negative errno.
 */
int mp_finder_machine(struct mp_finder *finder,
		      bool (*wanted)(void *context, pid_t pid), void *context);

/** mp_finder_free - free all */
void mp_finder_free(struct mp_finder *finder);

#endif
