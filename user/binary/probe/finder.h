/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * finder: the allocators of files, of processes and of the machine
 *
 * Each file is examined once, however many processes map it.
 */
#ifndef MP_FINDER_H
#define MP_FINDER_H

#include "file-set.h"
#include "alloc-function.h"
#include "scan.h"

#include <sys/types.h>

/**
 * struct mp_found - what the finder hands out
 * @fd: the file; closed when the callback returns
 * @path: as its process sees it; not printable
 * @pid: that process, 0 for none
 * @scan: what it defines
 */
struct mp_found {
	int fd;
	const char *path;
	pid_t pid;
	const struct mp_scan *scan;
};

/**
 * struct mp_finder - settings, and what was seen
 * @user: functions to take besides the known ones; may be NULL
 * @found: called for each file that was examined, also if nothing is in it
 * @skipped: called for each that could not be, with the reason; may be NULL
 * @context: for both
 * @seen: files that were looked at
 * @awaited: the inode that mp_finder_await() waits for, or 0
 * @met: it was there
 */
struct mp_finder {
	const struct mp_user_functions *user;
	void (*found)(void *context, const struct mp_found *found);
	void (*skipped)(void *context, const char *path, const char *why);
	void *context;
	struct mp_file_set seen;
	uint64_t awaited;
	bool met;
};

/**
 * mp_finder_file - examine a file by its path
 *
 * Return: 0, or a negative errno where it cannot be opened.
 */
int mp_finder_file(struct mp_finder *finder, const char *path);

/**
 * mp_finder_process - examine the files whose code a process has mapped
 *
 * Return: 0, or a negative errno where its mappings cannot be read.
 */
int mp_finder_process(struct mp_finder *finder, pid_t pid);

/**
 * mp_finder_await - the same, for the sake of one file
 * @inode: its number; that of the file system is not compared, for the kernel
 *	has several for one file (btrfs, overlayfs)
 *
 * Return: whether the process has the file mapped, and it was examined, now or
 * before, or refused.
 */
bool mp_finder_await(struct mp_finder *finder, pid_t pid, uint64_t inode);

/**
 * mp_finder_machine - the same for every process that @wanted agrees to
 * @wanted: asked for each process; NULL agrees to all
 *
 * Processes that are gone by the time, and those of others where that is not
 * allowed, are left out.
 *
 * Return: how many processes were looked at, or a negative errno.
 */
int mp_finder_machine(struct mp_finder *finder,
		      bool (*wanted)(void *context, pid_t pid), void *context);

/** mp_finder_free - forget what was seen */
void mp_finder_free(struct mp_finder *finder);

#endif
