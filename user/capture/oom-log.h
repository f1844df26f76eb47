/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * oom-log: reads from the kernel's log whom it killed for memory
 */
#ifndef MP_OOM_LOG_H
#define MP_OOM_LOG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of victims that are kept for a capture. */
#define MP_OOM_LOG_MAX	8

/**
 * struct mp_oom_victim - a process that the kernel killed
 * @pid: in the initial namespace
 * @comm: its name, printable
 * @cgroup: its cgroup
 * @limit: cgroup whose limit it was; empty: the machine's memory, or not known if @cgroup is
 *	empty
 * @resident: its RSS when it was killed, in bytes; 0: not known
 */
struct mp_oom_victim {
	uint32_t pid;
	char comm[64];
	char cgroup[256];
	char limit[256];
	uint64_t resident;
};

/**
 * mp_oom_log_parse - read a line of the log
 * @line: a record of /dev/kmsg, or its text
 * @victims: MP_OOM_LOG_MAX elements; a new one is added, or the RSS of one is set
 * @nr: number of @victims; changed
 *
 * The kernel writes two lines: whose limit it was, which it leaves out when it kills often,
 * and what the process had.
 */
void mp_oom_log_parse(const char *line, struct mp_oom_victim *victims, size_t *nr);

/** mp_oom_log_open - open the log at its end. Return: a descriptor, or a negative errno */
int mp_oom_log_open(void);

/**
 * mp_oom_log_read - read what was written since the last call
 * @victims: MP_OOM_LOG_MAX elements; new ones are added
 * @nr: number of @victims; changed
 */
void mp_oom_log_read(int fd, struct mp_oom_victim *victims, size_t *nr);

#endif
