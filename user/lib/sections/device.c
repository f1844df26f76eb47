// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * device.c: calls the module's device.
 *
 * The first caller opens the device. The child of a fork inherits the open
 * file, but it has no sections in the module, because sections belong to
 * threads. If a program closes descriptors that it did not open, its sections
 * in the module are lost. From then on the library measures new sections
 * without the module (own.c).
 */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memprof.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { UNKNOWN = -2, NONE = -1 };

/*
 * Descriptor of the device. UNKNOWN: not opened yet. NONE: this process cannot
 * use the device. It is written once by any thread. If the program has closed
 * the descriptor, it is set to NONE.
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
 * @opened: out: true if this call opened the device
 *
 * errno is preserved. The function is async-signal-safe.
 */
bool mp_device_has(bool *opened)
{
	int fd = __atomic_load_n(&device, __ATOMIC_ACQUIRE);
	int unknown = UNKNOWN, saved = errno;

	if (fd != UNKNOWN)
		return fd >= 0;
	fd = open_device();
	/* a signal handler or another thread has opened the device meanwhile */
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
 * mp_device_call() - make an ioctl of the module's device
 * @cmd: number of the ioctl
 * @arg: argument of the ioctl, a struct
 *
 * Return: 0 or a negative errno; -ENODEV if the device is not open any more.
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
