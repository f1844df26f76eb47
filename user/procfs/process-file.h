/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process-file: reads single values from files in /proc/PID
 */
#ifndef MP_PROCESS_FILE_H
#define MP_PROCESS_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Sizes of the buffers for a command name and for a cgroup path, in bytes. */
#define MP_PROCESS_COMM_SIZE	64
#define MP_PROCESS_CGROUP_SIZE	(PATH_MAX + 16)

/**
 * mp_process_file_line - find the first line that begins with a given text
 * @name: name of the file in /proc/PID
 * @start: begin of the line
 * @line: out: the line without its newline; empty if no line was found
 * @size: bytes at @line; a longer line is cut
 *
 * Return: true if a line was found.
 */
bool mp_process_file_line(pid_t pid, const char *name, const char *start,
			  char *line, int size);

/** mp_process_comm - read a process's command name into MP_PROCESS_COMM_SIZE bytes */
bool mp_process_comm(pid_t pid, char *comm);

/**
 * mp_process_cgroup - read the cgroup v2 path of a process
 * @path: out: the path from the root of our own cgroup namespace, which begins
 *	with '/'; MP_PROCESS_CGROUP_SIZE bytes
 *
 * Return: true, or false if the process has no such path.
 */
bool mp_process_cgroup(pid_t pid, char *path);

/** mp_process_parent - read the process id of the parent; 0: not known */
pid_t mp_process_parent(pid_t pid);

/** mp_process_own_pid - read a process's id in its own pid namespace; 0: not known */
pid_t mp_process_own_pid(pid_t pid);

/**
 * mp_process_is_static - whether a process has no dynamic linker mapped
 *
 * Return: false if it cannot be read, too.
 */
bool mp_process_is_static(pid_t pid);

#endif
