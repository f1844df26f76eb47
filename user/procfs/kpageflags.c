// SPDX-License-Identifier: GPL-2.0-only
/*
 * kpageflags: reads /proc/kpageflags
 *
 * Cost: a system call for each frame.
 */
#include "kpageflags.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int mp_kpageflags_open(void)
{
	int fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

uint64_t mp_kpageflags_read(int fd, uint64_t frame)
{
	uint64_t flags;

	return pread(fd, &flags, sizeof(flags), (off_t)(frame * sizeof(flags))) ==
	       sizeof(flags) ? flags : 0;
}
