// SPDX-License-Identifier: GPL-2.0-only
/*
 * oom-log: the lines "oom-kill:constraint=..." and "Killed process ..." of /dev/kmsg
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

#define CAUSE_MARK	"oom-kill:constraint="
#define KILL_MARK	"Killed process "

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

static bool parse_cause(const char *line, struct mp_oom_victim *victim)
{
	const char *at = strstr(line, CAUSE_MARK), *pid = NULL, *next;

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

/* The last one in the line: the name of a task, before it, is a stranger's. */
static uint64_t size_of(const char *line, const char *key)
{
	const char *at = NULL, *next;

	for (next = strstr(line, key); next; next = strstr(next + 1, key))
		at = next;
	return at ? (strtoull(at + strlen(key), NULL, 10) & UINT32_MAX) << 10 : 0;
}

/* "Killed process 42 (hog) total-vm:5kB, anon-rss:3kB, file-rss:2kB, shmem-rss:0kB, ..." */
static bool parse_kill(const char *line, struct mp_oom_victim *victim)
{
	const char *at = strstr(line, KILL_MARK);

	*victim = (struct mp_oom_victim){ 0 };
	if (!at)
		return false;
	victim->pid = (uint32_t)strtoul(at + strlen(KILL_MARK), NULL, 10);
	victim->resident = size_of(at, " anon-rss:") + size_of(at, " file-rss:") +
			   size_of(at, " shmem-rss:");
	return victim->pid && copy_value(at, " (", ") total-vm:", victim->comm,
					 sizeof(victim->comm));
}

static struct mp_oom_victim *find(struct mp_oom_victim *victims, size_t nr, uint32_t pid)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (victims[i].pid == pid)
			return &victims[i];
	return NULL;
}

void mp_oom_log_parse(const char *line, struct mp_oom_victim *victims, size_t *nr)
{
	struct mp_oom_victim victim, *known;
	const bool killed = parse_kill(line, &victim);

	if (!killed && !parse_cause(line, &victim))
		return;
	known = find(victims, *nr, victim.pid);
	if (known && killed)
		known->resident = victim.resident;
	else if (!known && *nr < MP_OOM_LOG_MAX)
		victims[(*nr)++] = victim;
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
		mp_oom_log_parse(record, victims, nr);
	}
}
