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
 * @limit: cgroup whose limit it was; empty: the machine's memory
 */
struct mp_oom_victim {
	uint32_t pid;
	char comm[64];
	char cgroup[256];
	char limit[256];
};

/**
 * mp_oom_log_parse - read a line of the log
 * @line: a record of /dev/kmsg, or its text
 *
 * Return: true if it says who was killed.
 */
bool mp_oom_log_parse(const char *line, struct mp_oom_victim *victim);

/** mp_oom_log_open - open the log at its end. Return: a descriptor, or a negative errno */
int mp_oom_log_open(void);

/**
 * mp_oom_log_read - read what was written since the last call
 * @victims: MP_OOM_LOG_MAX elements; new ones are added
 * @nr: number of @victims; changed
 */
void mp_oom_log_read(int fd, struct mp_oom_victim *victims, size_t *nr);

#endif
