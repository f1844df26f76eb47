/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region: the file that libmemprof keeps its numbers in, read from outside
 */
#ifndef MP_REGION_H
#define MP_REGION_H

#include "profile.h"

#include <memprof/region.h>
#include <sys/types.h>

/**
 * struct mp_region - one that is open
 * @fd: the file; its process may write it at any time, and may be hostile
 * @pid: its process, where that is known; 0: header.pid, of some namespace
 * @header: copy of its begin, checked
 * @why: what is wrong with it, a constant text
 */
struct mp_region {
	int fd;
	pid_t pid;
	struct memprof_region_header header;
	const char *why;
};

/**
 * mp_region_open - open a region
 * @path: of the file
 * @writable: for what users may change
 *
 * Return: 0; -EBADMSG with why: it is none, or of another version; or another
 * negative errno. mp_region_close() follows in any case.
 */
int mp_region_open(struct mp_region *region, const char *path, bool writable);

/** mp_region_is - whether a file begins like one; it need not be whole */
bool mp_region_is(const char *path);

/** mp_region_pid - its process, as we or as its header know it */
static inline pid_t mp_region_pid(const struct mp_region *region)
{
	return region->pid ? region->pid : (pid_t)region->header.pid;
}

/**
 * mp_region_lives - whether its process still runs
 *
 * By number and start time, so that another one of its number is not taken for it.
 */
bool mp_region_lives(const struct mp_region *region);

/**
 * mp_region_mark - let the process remember this moment; writable ones only
 *
 * Return: 0, or a negative errno.
 */
int mp_region_mark(struct mp_region *region);

/**
 * mp_region_pause - let the process sample, or not; writable ones only
 *
 * Return: 0, or a negative errno.
 */
int mp_region_pause(struct mp_region *region, bool paused);

/**
 * mp_region_profile - add a process and its stacks
 * @since_mark: only blocks that live and were born after the latest mark, if
 *	there was one
 * @profile: rows, frames, counters and meta data are added
 *
 * Return: 0, or -ENOMEM.
 */
int mp_region_profile(const struct mp_region *region, bool since_mark,
		      struct mp_profile *profile);

/** mp_region_counter - one of its counters; 0 where there is none of that name */
uint64_t mp_region_counter(const struct mp_region *region, const char *name);

/**
 * mp_region_find - the region of a process that runs
 * @path: out, PATH_MAX bytes
 *
 * Source: /proc/PID/maps; and map_files, for whom that is open (root): there it is
 * found under any name, and under none.
 *
 * Return: 0; -ENOENT where it has none; -ENODATA where it has the library, but what
 * it writes is not where it was; -ECHILD where it has none of its own, for it has
 * sampled nothing since it was forked; or another negative errno.
 */
int mp_region_find(pid_t pid, char *path);

/** mp_region_close - close it */
void mp_region_close(struct mp_region *region);

#endif
