/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps: the lines of /proc/PID/maps, and the headings of /proc/PID/smaps
 */
#ifndef MP_MAPS_H
#define MP_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_map_line - one mapping, see proc(5)
 * @start: its first address
 * @end: the address behind it
 * @offset: of @start in the file
 * @inode: of the file; 0: there is none
 * @major, @minor: of the file's file system
 * @permissions: such as "r-xp"
 * @name: path, as the process sees it, " (deleted)" included; a name in brackets; or
 *	empty. May hold any byte but NUL and newline
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
 * mp_map_line_parse - take a line apart
 * @text: without its newline; @line points into it
 *
 * Return: whether it is the line of a mapping.
 */
bool mp_map_line_parse(const char *text, struct mp_map_line *line);

/**
 * mp_maps_each - every mapping of a process
 * @take: called for each until it returns non-zero
 *
 * A process may change its mappings, or exit, at any moment.
 *
 * Source: /proc/PID/maps.
 *
 * Return: what @take returned last; -ESRCH where there is no such process; another
 * negative errno.
 */
int mp_maps_each(pid_t pid,
		 int (*take)(void *context, pid_t pid,
			     const struct mp_map_line *line),
		 void *context);

/** mp_map_is_executable - whether code can run there */
static inline bool mp_map_is_executable(const struct mp_map_line *line)
{
	return line->permissions[2] == 'x';
}

#endif
