/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region: the file that contains libmemprof's data, read by another process
 */
#ifndef MP_REGION_H
#define MP_REGION_H

#include "profile.h"

#include <memprof/region.h>
#include <sys/types.h>

/**
 * struct mp_region - an open region
 * @fd: the file; its process can write it at any time and may be hostile
 * @pid: its process, if known; 0: use header.pid, of an unknown pid namespace
 * @header: checked copy of the header
 * @why: why the region is invalid; a constant text
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
 * @writable: open it also for writing, to change its control fields
 *
 * Call mp_region_close() also after an error.
 *
 * Return: 0; -EBADMSG if it is not a region or of another version, with the
 * reason in why; another negative errno.
 */
int mp_region_open(struct mp_region *region, const char *path, bool writable);

/**
 * mp_region_is - check whether a file begins with the magic number of a region
 */
bool mp_region_is(const char *path);

/** mp_region_pid - process id of the region, from the caller or from its header */
static inline pid_t mp_region_pid(const struct mp_region *region)
{
	return region->pid ? region->pid : (pid_t)region->header.pid;
}

/**
 * mp_region_lives - check whether the region's process is running
 *
 * The start time is compared, too, because process ids are reused.
 */
bool mp_region_lives(const struct mp_region *region);

/**
 * mp_region_now_ns - the time by the clock of the times in the region
 *
 * The region's process may be in another time namespace. If it does not run any more,
 * its namespace is not known, and the time is that of our clock.
 */
uint64_t mp_region_now_ns(const struct mp_region *region);

/**
 * mp_region_mark - set the region's mark to the current time; must be writable
 *
 * Return: 0, or a negative errno.
 */
int mp_region_mark(struct mp_region *region);

/**
 * mp_region_pause - pause or resume sampling; must be writable
 *
 * Return: 0, or a negative errno.
 */
int mp_region_pause(struct mp_region *region, bool paused);

#define MP_REGION_NO_ROW	UINT32_MAX

/**
 * struct mp_region_rows - rows of a profile that were made of a region; all zero: none
 * @process: index of the row of the process
 * @of_stack: index of the row of each stack, or MP_REGION_NO_ROW; the caller frees it
 * @nr: number of stacks
 */
struct mp_region_rows {
	size_t process;
	uint32_t *of_stack;
	size_t nr, max;
};

/**
 * mp_region_profile - add a process and its stacks to a profile
 * @since_mark: only live blocks that were allocated after the latest mark, if
 *	there is one
 * @profile: rows, frames, counters and meta data are added
 * @rows: out: indices of the rows; or NULL
 *
 * Return: 0, or -ENOMEM.
 */
int mp_region_profile(const struct mp_region *region, bool since_mark,
		      struct mp_profile *profile, struct mp_region_rows *rows);

/** mp_region_counter - get the value of a counter of the region; 0 if it does not exist */
uint64_t mp_region_counter(const struct mp_region *region, const char *name);

/**
 * mp_region_find - find the region of a running process
 * @path: out; PATH_MAX bytes
 *
 * Source: /proc/PID/maps, and /proc/PID/map_files if readable (root). Through
 * map_files a region is also found if its file was renamed or deleted.
 *
 * Return: 0. -ENOENT if the process has no libmemprof; -ENODATA if its region's
 * path is not valid any more; -ESTALE if the library was taken out, and @path is what it
 * left; -ECHILD if it has not sampled since it was
 * forked, so it has no region of its own; another negative errno.
 */
int mp_region_find(pid_t pid, char *path);

/** mp_region_close - close the file */
void mp_region_close(struct mp_region *region);

#endif
