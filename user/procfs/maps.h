/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps: reads lines of /proc/PID/maps and the header lines of /proc/PID/smaps
 */
#ifndef MP_MAPS_H
#define MP_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_map_line - one mapping, see proc(5)
 * @start: first address
 * @end: first address after it
 * @offset: offset of @start in the file
 * @inode: inode number of the file; 0: no file
 * @major, @minor: device of the file's file system
 * @permissions: such as "r-xp"
 * @name: path in the process's namespace, including " (deleted)"; a name in
 *	brackets; or empty. Can contain any byte except NUL and newline
 */
struct mp_map_line {
	uint64_t start, end;
	uint64_t offset;
	uint64_t inode;
	unsigned int major, minor;
	char permissions[5];
	const char *name;
};

/**
 * mp_map_line_parse - parse a line
 * @text: the line, without its newline
 * @line: out: the mapping; its strings point into @text
 *
 * Return: true, or false if the line is not a mapping.
 */
bool mp_map_line_parse(const char *text, struct mp_map_line *line);

/**
 * mp_maps_each - call a function for each mapping of a process
 * @take: called for each mapping, until it returns a number other than 0
 * @context: passed to @take
 *
 * The process can change its mappings, or exit, during the call.
 *
 * Source: /proc/PID/maps.
 *
 * Return: the last result of @take; -ESRCH if the process does not exist;
 * another negative errno.
 */
int mp_maps_each(pid_t pid,
		 int (*take)(void *context, pid_t pid,
			     const struct mp_map_line *line),
		 void *context);

/** mp_map_is_executable - whether the mapping is executable */
static inline bool mp_map_is_executable(const struct mp_map_line *line)
{
	return line->permissions[2] == 'x';
}

#endif
