// SPDX-License-Identifier: GPL-2.0-only
/*
 * oom-log: the line "oom-kill:constraint=..." of /dev/kmsg, which dump_header() prints
 *
 * Names of processes and cgroups in it are strangers'. It needs CAP_SYSLOG where
 * kernel.dmesg_restrict is 1.
 */
#include "oom-log.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK	"oom-kill:constraint="

/* Copies the value of a key, up to the next comma. The name of a task may contain one. */
static bool copy_value(const char *line, const char *key, const char *before, char *to,
		       size_t size)
{
	const char *at = strstr(line, key), *end;

	if (!at)
		return false;
	at += strlen(key);
	end = before ? strstr(at, before) : strpbrk(at, ",\n");
	mp_text_escape(to, size, at, end ? (size_t)(end - at) : strlen(at));
	return true;
}

bool mp_oom_log_parse(const char *line, struct mp_oom_victim *victim)
{
	const char *at = strstr(line, MARK), *pid = NULL, *next;

	*victim = (struct mp_oom_victim){ 0 };
	if (!at || !copy_value(at, ",task_memcg=", ",task=", victim->cgroup,
			       sizeof(victim->cgroup)) ||
	    !copy_value(at, ",task=", ",pid=", victim->comm, sizeof(victim->comm)))
		return false;
	/* global_oom is in the place of it, if it was the machine's memory */
	copy_value(at, ",oom_memcg=", ",task_memcg=", victim->limit, sizeof(victim->limit));
	for (next = strstr(at, ",pid="); next; next = strstr(next + 1, ",pid="))
		pid = next;
	if (!pid)
		return false;
	victim->pid = (uint32_t)strtoul(pid + 5, NULL, 10);
	return victim->pid;
}

int mp_oom_log_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	lseek(fd, 0, SEEK_END);
	return fd;
}

void mp_oom_log_read(int fd, struct mp_oom_victim *victims, size_t *nr)
{
	struct mp_oom_victim victim;
	char record[8192];
	ssize_t len;
	int i;

	/* records are short, and a log has no more than some thousands */
	for (i = 0; fd >= 0 && i < 100000; i++) {
		len = read(fd, record, sizeof(record) - 1);
		/* EPIPE: some were overwritten */
		if (len < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (len <= 0)
			return;
		record[len] = '\0';
		if (*nr < MP_OOM_LOG_MAX && mp_oom_log_parse(record, &victim))
			victims[(*nr)++] = victim;
	}
}
