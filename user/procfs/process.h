/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process: lists the processes of the machine
 */
#ifndef MP_PROCESS_H
#define MP_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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
