// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * device.c: calls the module's device.
 *
 * The first caller opens the device. Children of a fork share the file but have
 * no sections in the module, because sections belong to threads. A program that
 * closes files that it did not open loses its sections: after that the library
 * measures.
 */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memprof.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { UNKNOWN = -2, NONE = -1 };

/*
 * Written once by any thread, and once more when the device is found to be
 * closed.
 */
static int device = UNKNOWN;

static int open_device(void)
{
	struct memprof_info info = { .size = sizeof(info) };
	int fd = open(MEMPROF_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return NONE;
	if (!ioctl(fd, MEMPROF_IOC_INFO, &info) &&
	    info.features & MEMPROF_FEATURE_SECTIONS)
		return fd;
	close(fd);
	return NONE;
}

/**
 * mp_device_has() - whether this process can use the module
 * @opened: set if the device was opened just now
 *
 * Preserves errno. Signals may interrupt it.
 */
bool mp_device_has(bool *opened)
{
	int fd = __atomic_load_n(&device, __ATOMIC_ACQUIRE);
	int unknown = UNKNOWN, saved = errno;

	if (fd != UNKNOWN)
		return fd >= 0;
	fd = open_device();
	/* a signal handler, or another thread, was faster */
	if (!__atomic_compare_exchange_n(&device, &unknown, fd, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if (fd >= 0)
			close(fd);
		fd = unknown;
	} else {
		*opened = fd >= 0;
	}
	errno = saved;
	return fd >= 0;
}

/**
 * mp_device_call() - one ioctl
 * @cmd: command
 * @arg: its struct
 *
 * Return: 0 or a negative errno; -ENODEV if there is no device any more.
 */
int mp_device_call(unsigned long cmd, void *arg)
{
	int fd = __atomic_load_n(&device, __ATOMIC_ACQUIRE), saved = errno, err;

	if (!ioctl(fd, cmd, arg))
		return 0;
	err = -errno;
	errno = saved;
	if (err != -EBADF && err != -ENOTTY)
		return err;
	__atomic_store_n(&device, NONE, __ATOMIC_RELEASE);
	return -ENODEV;
}
