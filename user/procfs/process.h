/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process: lists the processes of the machine
 */
#ifndef MP_PROCESS_H
#define MP_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Limit of a command line, with its NUL; longer ones are cut. */
#define MP_PROCESS_TITLE_SIZE	160

/**
 * mp_process_title - get the command line of a process, with spaces between arguments
 * @title: MP_PROCESS_TITLE_SIZE bytes; may contain any byte but NUL
 *
 * Source: /proc/PID/cmdline, which the process can change.
 *
 * Return: bytes of the title; 0 for a kernel thread, or if the process has exited.
 */
size_t mp_process_title(pid_t pid, char *title);

/**
 * mp_process_each - call a function for each visible process
 * @take: called for each process, which may have exited
 * @context: passed to @take
 *
 * Source: /proc.
 *
 * Return: 0, or a negative errno.
 */
int mp_process_each(void (*take)(void *context, pid_t pid), void *context);

/**
 * mp_process_has_ended - whether a process has exited; a zombie has
 *
 * Source: /proc/PID/stat. If there is no such process, the result is true. If
 * the file cannot be read for another reason, the result is false.
 */
bool mp_process_has_ended(pid_t pid);

/**
 * mp_process_is_exiting - whether a process has begun to exit, or has exited
 *
 * If it has not, what was read of its memory before this call was whole. Source: /proc/PID/stat.
 */
bool mp_process_is_exiting(pid_t pid);

/**
 * mp_process_mark - a number that changes when a process's resident memory changes
 * @mark: out: of its start, faults and RSS. A few pages that are given back may leave it as it is
 *
 * Source: /proc/PID/stat.
 *
 * Return: false if the process exited or cannot be read.
 */
bool mp_process_mark(pid_t pid, uint64_t *mark);

/**
 * mp_process_start - read a process's start time and RSS
 * @start_ns: out, CLOCK_BOOTTIME, in steps of 10 ms
 * @resident: out, bytes, can be some pages per CPU too low or too high
 *
 * Source: /proc/PID/stat.
 *
 * Return: false if the process exited or cannot be read.
 */
bool mp_process_start(pid_t pid, uint64_t *start_ns, uint64_t *resident);

#endif
