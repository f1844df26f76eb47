// SPDX-License-Identifier: GPL-2.0-only
/*
 * write-all: repeats write() while the file takes a part of the bytes
 */
#include "write-all.h"

#include <errno.h>
#include <unistd.h>

int mp_write_all(int fd, const void *data, size_t size)
{
	const char *at = data;
	ssize_t put;

	for (; size; at += put, size -= (size_t)put) {
		put = write(fd, at, size);
		if (put <= 0)
			return put < 0 ? -errno : -EIO;
	}
	return 0;
}
