/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process-file: single values of files in /proc/PID
 */
#ifndef MP_PROCESS_FILE_H
#define MP_PROCESS_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Sizes of a command name and of a cgroup path. */
#define MP_PROCESS_COMM_SIZE	64
#define MP_PROCESS_CGROUP_SIZE	(PATH_MAX + 16)

/**
 * mp_process_file_line - find the first line with a given begin
 * @name: of the file in /proc/PID
 * @start: begin of the line
 * @line: out; without the newline; empty if there is none
 * @size: bytes at @line; a longer line is cut
 *
 * Return: whether there is one.
 */
bool mp_process_file_line(pid_t pid, const char *name, const char *start,
			  char *line, int size);

/** mp_process_comm - command name of the main thread; MP_PROCESS_COMM_SIZE bytes */
bool mp_process_comm(pid_t pid, char *comm);

/**
 * mp_process_cgroup - cgroup v2 path of a process, from the root of our cgroup
 * namespace
 * @path: out; MP_PROCESS_CGROUP_SIZE bytes; begins with '/'
 *
 * Return: whether there is one.
 */
bool mp_process_cgroup(pid_t pid, char *path);

/** mp_process_parent - the parent's process id; 0: not known */
pid_t mp_process_parent(pid_t pid);

/** mp_process_own_pid - process id in the process's own pid namespace; 0: not known */
pid_t mp_process_own_pid(pid_t pid);

#endif
