/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * status-sizes: reads lines "Key: N kB" of a file in /proc/PID
 */
#ifndef MP_STATUS_SIZES_H
#define MP_STATUS_SIZES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** struct mp_status_size - where the bytes of a line go; a list ends with a NULL @key */
struct mp_status_size {
	const char *key;
	uint64_t *bytes;
};

/**
 * mp_status_sizes - read sizes of a process
 * @name: file in /proc/PID, such as status or smaps_rollup
 * @wanted: keys with their colons; bytes of keys that the file lacks do not change
 *
 * Return: whether the file has any of the keys.
 */
bool mp_status_sizes(pid_t pid, const char *name, const struct mp_status_size *wanted);

#endif
