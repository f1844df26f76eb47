/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmod: reads profiles from the kernel module
 *
 * The functions wrap the ioctls of <linux/memprof.h>, which documents their
 * errors.
 */
#ifndef MP_KMOD_H
#define MP_KMOD_H

#include "profile.h"

#include <linux/memprof.h>

/**
 * mp_dev_open - open a new, idle session
 *
 * Return: a close-on-exec file descriptor, or a negative errno.
 */
int mp_dev_open(void);

/** mp_dev_info - call MEMPROF_IOC_INFO. Return: 0 or a negative errno. */
int mp_dev_info(int fd, struct memprof_info *info);

/** mp_dev_target - call MEMPROF_IOC_TARGET; sets the size field */
int mp_dev_target(int fd, const struct memprof_target *target);

/** mp_dev_start - call MEMPROF_IOC_START; sets the size field */
int mp_dev_start(int fd, const struct memprof_start *start);

/** mp_dev_probe - call MEMPROF_IOC_PROBE; sets the size field */
int mp_dev_probe(int fd, const struct memprof_probe *probe);

/** mp_dev_python - call MEMPROF_IOC_PYTHON; sets the size field */
int mp_dev_python(int fd, const struct memprof_python *python);

/** mp_dev_stop - call MEMPROF_IOC_STOP */
int mp_dev_stop(int fd);

/** mp_dev_status - call MEMPROF_IOC_STATUS */
int mp_dev_status(int fd, struct memprof_status *status);

/** mp_dev_reset - call MEMPROF_IOC_RESET */
int mp_dev_reset(int fd);

/**
 * mp_kmod_meta - read the state of the session
 * @meta: out; targets are not changed
 *
 * Return: 0, or a negative errno.
 */
int mp_kmod_meta(int fd, struct mp_meta *meta);

/**
 * mp_kmod_profile - take a snapshot and read all of it
 * @flags: enum memprof_snapshot_flag bits. If the module cannot copy its blocks,
 *	MEMPROF_SNAPSHOT_BLOCKS is left out
 * @profile: out; must be empty; meta.targets is not changed
 *
 * The profile has a row for each address space, see mp_profile_merge(). Free
 * the profile also after an error.
 *
 * Return: 0, or a negative errno.
 */
int mp_kmod_profile(int fd, uint32_t flags, struct mp_profile *profile);

/**
 * mp_kmod_blocks - read the living blocks of the last snapshot
 * @take: called for each block; if it does not return 0, the reading ends
 *
 * There are none unless the snapshot was taken with MEMPROF_SNAPSHOT_BLOCKS.
 *
 * Return: 0, what @take returned, or a negative errno. An older module has no blocks: 0.
 */
int mp_kmod_blocks(int fd,
		   int (*take)(void *context, const struct memprof_living_block *block),
		   void *context);

#endif
