// SPDX-License-Identifier: GPL-2.0-only
/*
 * loader: runs "ld-linux.so --list" to find a program's libraries
 *
 * The loader runs, the program does not. The time limit is PATIENCE seconds.
 */
#include "loader.h"
#include "elf-segment.h"
#include "regular-file.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Time limit of the loader in seconds. */
#define PATIENCE	5

bool mp_loader_find(const char *command, char *path)
{
	const char *dirs = getenv("PATH"), *end;

	if (strchr(command, '/'))
		return realpath(command, path);
	for (; dirs && *dirs; dirs = *end ? end + 1 : end) {
		char candidate[PATH_MAX];

		end = strchrnul(dirs, ':');
		snprintf(candidate, sizeof(candidate), "%.*s/%s",
			 (int)(end - dirs), dirs, command);
		if (!access(candidate, X_OK) && realpath(candidate, path))
			return true;
	}
	return false;
}

/* Finds the program's loader. Only glibc's is supported, because it has --list. */
static bool find_loader(int fd, char *loader, size_t size)
{
	unsigned int first = 0;
	uint64_t at, bytes;
	struct stat st;

	/* the loader does not support --list for setuid and setgid programs */
	return !fstat(fd, &st) && !(st.st_mode & (S_ISUID | S_ISGID)) &&
	       mp_elf_segment(fd, PT_INTERP, &first, &at, &bytes) &&
	       bytes && bytes <= size &&
	       pread(fd, loader, bytes, (off_t)at) == (ssize_t)bytes &&
	       !loader[bytes - 1] &&
	       strstr(loader, "/ld-linux");
}

static void add_file(struct mp_record_options *options, const char *path)
{
	if (options->nr_files < MP_RECORD_FILES)
		options->files[options->nr_files] = strdup(path);
	if (options->nr_files < MP_RECORD_FILES && options->files[options->nr_files])
		options->nr_files++;
}

/* Parses "NAME => PATH (ADDRESS)" or "PATH (ADDRESS)". */
static void add_library(struct mp_record_options *options, char *line)
{
	char *path = strchr(line, '/');

	if (!path)
		return;
	path[strcspn(path, "\n ")] = '\0';
	add_file(options, path);
}

static void ask_loader(const char *loader, const char *path,
		       struct mp_record_options *options)
{
	char line[PATH_MAX + 128];
	int ends[2], null;
	FILE *file;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid) {
		null = open("/dev/null", O_RDWR);
		dup2(null, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		alarm(PATIENCE);
		execl(loader, loader, "--list", path, NULL);
		_exit(1);
	}
	close(ends[1]);
	file = fdopen(ends[0], "re");
	while (file && fgets(line, sizeof(line), file))
		add_library(options, line);
	if (file)
		fclose(file);
	else
		close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void mp_loader_find_all(const char *command, struct mp_record_options *options)
{
	char path[PATH_MAX], loader[PATH_MAX];
	int fd;

	if (!mp_loader_find(command, path))
		return;
	/* opening a FIFO with open() would block */
	fd = mp_regular_open(path, NULL);
	if (fd < 0)
		return;
	add_file(options, path);
	if (find_loader(fd, loader, sizeof(loader)))
		ask_loader(loader, path, options);
	close(fd);
}
