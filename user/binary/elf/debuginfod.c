// SPDX-License-Identifier: GPL-2.0-only
/*
 * debuginfod: calls libdebuginfod in a child process with a time limit
 *
 * The child is not isolated (isolate.h), because the library writes to its own
 * cache and reads the environment. After PATIENCE_MS the child is killed and
 * the search has no result.
 */
#include "debuginfod.h"
#include "text.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY		"libdebuginfod.so.1"
#define PATIENCE_MS	60000

/* Types as in elfutils/debuginfod.h, which is in a separate package. */
typedef void *(*begin_fn)(void);
typedef int (*find_fn)(void *client, const unsigned char *build_id, int size,
		       char **path);

/* The value of $DEBUGINFOD_URLS; set only by mp_debuginfod_hide() in main(). */
static const char *servers;

void mp_debuginfod_hide(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (urls)
		servers = strdup(urls);
	unsetenv("DEBUGINFOD_URLS");
}

static bool has_servers(void)
{
	return servers || getenv("DEBUGINFOD_URLS");
}

const char *mp_debuginfod_obstacle(void)
{
	void *library;

	if (!has_servers())
		return "DEBUGINFOD_URLS is not set";
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return LIBRARY " is not installed";
	dlclose(library);
	return NULL;
}

/* Returns the path of the debug file, or NULL. */
static char *find_path(const uint8_t *build_id, size_t size)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	begin_fn begin = library ? dlsym(library, "debuginfod_begin") : NULL;
	find_fn find_debuginfo = library ? dlsym(library,
						 "debuginfod_find_debuginfo") :
					   NULL;
	void *client = begin && find_debuginfo ? begin() : NULL;
	char *path = NULL;
	int fd = client ? find_debuginfo(client, build_id, (int)size, &path) :
			  -1;

	return fd < 0 ? NULL : path;
}

static void run_child(int to, const uint8_t *build_id, size_t size)
{
	char *path;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (servers)
		setenv("DEBUGINFOD_URLS", servers, 1);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	path = find_path(build_id, size);
	_exit(!path || write(to, path, strlen(path)) < 0);
}

/* A path fits into a pipe, so one read() is enough. */
static size_t read_path(int from, char *path, size_t size)
{
	struct pollfd wait = { .fd = from, .events = POLLIN };
	ssize_t got = -1;

	if (poll(&wait, 1, PATIENCE_MS) > 0)
		got = read(from, path, size - 1);
	path[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

bool mp_debuginfod_find(char *path, size_t size, const uint8_t *build_id,
			size_t id_size)
{
	int ends[2];
	size_t got;
	pid_t pid;

	if (!id_size || !has_servers() || pipe(ends))
		return false;
	fflush(NULL);
	pid = fork();
	if (!pid)
		run_child(ends[1], build_id, id_size);
	close(ends[1]);
	got = pid < 0 ? 0 : read_path(ends[0], path, size);
	close(ends[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return got && mp_text_is_printable(path, size);
}
