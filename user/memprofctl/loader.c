// SPDX-License-Identifier: GPL-2.0-only
/*
 * loader: LD_TRACE_LOADED_OBJECTS
 *
 * Only of programs that have a loader: others would run.
 */
#include "loader.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool find(const char *command, char *path)
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

static bool has_loader(int fd)
{
	Elf64_Ehdr header;
	Elf64_Phdr phdr;
	int i;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(phdr))
		return false;
	for (i = 0; i < header.e_phnum; i++)
		if (pread(fd, &phdr, sizeof(phdr), (off_t)header.e_phoff +
			  i * (off_t)sizeof(phdr)) == sizeof(phdr) &&
		    phdr.p_type == PT_INTERP)
			return true;
	return false;
}

static void add(struct mp_wish *wish, const char *path)
{
	if (wish->nr_files < MP_WISH_FILES)
		wish->files[wish->nr_files] = strdup(path);
	if (wish->nr_files < MP_WISH_FILES && wish->files[wish->nr_files])
		wish->nr_files++;
}

/* "NAME => PATH (ADDRESS)", or "PATH (ADDRESS)". */
static void take_line(struct mp_wish *wish, char *line)
{
	char *path = strchr(line, '/');

	if (!path)
		return;
	path[strcspn(path, "\n ")] = '\0';
	add(wish, path);
}

static void ask_loader(const char *path, struct mp_wish *wish)
{
	char line[PATH_MAX + 128];
	int ends[2];
	FILE *file;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid) {
		setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
		dup2(ends[1], STDOUT_FILENO);
		close(STDERR_FILENO);
		execl(path, path, NULL);
		_exit(1);
	}
	close(ends[1]);
	file = fdopen(ends[0], "re");
	while (file && fgets(line, sizeof(line), file))
		take_line(wish, line);
	if (file)
		fclose(file);
	else
		close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void mp_loader_wish(const char *command, struct mp_wish *wish)
{
	char path[PATH_MAX];
	int fd;

	if (!find(command, path))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	add(wish, path);
	if (has_loader(fd))
		ask_loader(path, wish);
	close(fd);
}
