// SPDX-License-Identifier: GPL-2.0-only
/*
 * process: lists the processes in /proc
 *
 * One system call returns some hundred processes. A process that starts during the
 * listing may be missed.
 */
#include "process.h"
#include "map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than all fields of /proc/PID/stat have */
#define STAT_SIZE	2048

int mp_process_each(void (*take)(void *context, pid_t pid), void *context)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char *end;
	long pid;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		pid = strtol(entry->d_name, &end, 10);
		if (pid > 0 && !*end)
			take(context, (pid_t)pid);
	}
	closedir(dir);
	return 0;
}

/*
 * Reads /proc/PID/stat into STAT_SIZE bytes. Returns the text after the command's name,
 * which can contain any byte; "" if the process was reaped since the open; NULL with
 * errno if the file cannot be opened.
 */
static const char *read_stat(pid_t pid, char *text)
{
	char path[32];
	const char *end;
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	size = fread(text, 1, STAT_SIZE - 1, file);
	fclose(file);
	text[size] = '\0';
	/* the name of at most 63 bytes can contain brackets, too */
	end = strrchr(text, ')');
	return end ? end + 1 : "";
}

size_t mp_process_title(pid_t pid, char *title)
{
	char path[64];
	ssize_t size, i;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? 0 : read(fd, title, MP_PROCESS_TITLE_SIZE - 1);
	if (fd >= 0)
		close(fd);
	size = size < 0 ? 0 : size;
	/* the last argument ends with a NUL, and a title may be followed by many, or spaces */
	while (size && (!title[size - 1] || title[size - 1] == ' '))
		size--;
	/* and the lines of a script, as in python -c */
	for (i = 0; i < size; i++)
		if (!title[i] || (title[i] >= '\t' && title[i] <= '\r'))
			title[i] = ' ';
	title[size] = '\0';
	return (size_t)size;
}

bool mp_process_has_ended(pid_t pid)
{
	char text[STAT_SIZE];
	const char *state = read_stat(pid, text);

	if (!state)
		return errno == ENOENT || errno == ESRCH;
	return !state[0] || !strncmp(state, " Z", 2) || !strncmp(state, " X", 2);
}

/* PF_EXITING of the kernel's struct task_struct */
#define EXITING		4

bool mp_process_is_exiting(pid_t pid)
{
	char text[STAT_SIZE];
	const char *fields = read_stat(pid, text);
	unsigned int flags;

	/* the fields from the third one, the state, to the 9th */
	return !fields || sscanf(fields, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1 ||
	       (flags & EXITING);
}

bool mp_process_mark(pid_t pid, uint64_t *mark)
{
	char text[STAT_SIZE];
	const char *fields = read_stat(pid, text);
	unsigned long long minor, major, ticks, pages;

	/* the fields from the third one, the state: the 10th, 12th, 22nd and 24th */
	if (!fields || sscanf(fields, " %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu %*u %llu",
			      &minor, &major, &ticks, &pages) != 4)
		return false;
	*mark = mp_map_hash(mp_map_hash(minor, major), mp_map_hash(ticks, pages));
	return true;
}

bool mp_process_start(pid_t pid, uint64_t *start_ns, uint64_t *resident)
{
	char text[STAT_SIZE];
	const char *fields = read_stat(pid, text);
	unsigned long long ticks, pages;

	/* the fields from the third one, the state, to the 22nd and the 24th */
	if (!fields || sscanf(fields, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu %*u %llu",
			      &ticks, &pages) != 2)
		return false;
	*start_ns = ticks * (1000000000ULL / (unsigned long)sysconf(_SC_CLK_TCK));
	*resident = pages * (unsigned long)sysconf(_SC_PAGESIZE);
	return true;
}
