/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jitdump: reads the names in a file of perf's jitdump format
 */
#ifndef MP_JITDUMP_H
#define MP_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mp_jitdump_entry - a function that was generated
 * @start: its first address
 * @size: its bytes
 * @name: its name, which is not terminated
 * @len: bytes of the name
 */
struct mp_jitdump_entry {
	uint64_t start;
	uint64_t size;
	const char *name;
	size_t len;
};

/** mp_jitdump_is - whether data begins as a file of this machine's byte order */
bool mp_jitdump_is(const char *data, size_t size);

/**
 * mp_jitdump_each - pass the functions on, the latest first
 * @take: called for each; false ends it
 *
 * A record that is cut or too short ends the file. Code that was moved keeps the name only
 * at its first address, and source lines are not read.
 *
 * Return: true; false if @take returned false, or if memory is short.
 */
bool mp_jitdump_each(const char *data, size_t size,
		     bool (*take)(void *context, const struct mp_jitdump_entry *entry),
		     void *context);

#endif
