// SPDX-License-Identifier: GPL-2.0-only
/*
 * hint: tells how a report could name functions that it does not name
 *
 * Cost: a pass over the rows; for a binary without symbols one process more.
 */
#include "hint.h"
#include "binary-file.h"
#include "debuginfod.h"
#include "listening.h"
#include "process-file.h"
#include "runtimes.h"
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MS	2000
#define NAME_SIZE	128

/* Programs that know of which package a file is, and how its symbols are called */
static const struct manager {
	const char *argv[5];
	const char *symbols;
} managers[] = {
	{ { "dpkg-query", "--search" }, "install %s-dbgsym, which is in the distribution's debug archive" },
	{ { "rpm", "-qf", "--queryformat", "%{NAME}:" }, "debuginfo-install %s" },
};

static void run_manager(const struct manager *manager, const char *path, int to)
{
	const char *argv[8];
	size_t i;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (i = 0; i < 5 && manager->argv[i]; i++)
		argv[i] = manager->argv[i];
	argv[i++] = path;
	argv[i] = NULL;
	dup2(null, STDIN_FILENO);
	dup2(null, STDERR_FILENO);
	dup2(to, STDOUT_FILENO);
	execvp(argv[0], (char **)argv);
	_exit(127);
}

/* Reads until the end, a colon or a full buffer, for a limited time. */
static void read_answer(int from, char *name)
{
	struct pollfd wait = { .fd = from, .events = POLLIN };
	size_t size = 0;
	ssize_t n;

	while (size < NAME_SIZE - 1 && poll(&wait, 1, ANSWER_MS) > 0) {
		n = read(from, name + size, NAME_SIZE - 1 - size);
		if (n <= 0)
			break;
		size += (size_t)n;
		if (memchr(name, ':', size))
			break;
	}
	name[size] = '\0';
}

/* Whether an answer is the name of a package; cuts what follows it. */
static bool is_package(char *name)
{
	const size_t len = strcspn(name, ":");
	size_t i;

	if (!len || !name[len])
		return false;
	name[len] = '\0';
	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("+-._", name[i]))
			return false;
	return true;
}

/* Asks one package manager. @name: the package, NAME_SIZE bytes. */
static bool find_package(const struct manager *manager, const char *path, char *name)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid)
		run_manager(manager, path, ends[1]);
	close(ends[1]);
	name[0] = '\0';
	if (pid > 0) {
		read_answer(ends[0], name);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(ends[0]);
	return is_package(name);
}

/* dpkg may know /usr/bin/ls as /bin/ls, where /bin is a link to /usr/bin. */
static bool find_owner(const struct manager *manager, const char *path, char *name)
{
	return find_package(manager, path, name) ||
	       (!strncmp(path, "/usr/", 5) && find_package(manager, path + 4, name));
}

/* What servers of debug files can do, or have answered if they were @asked */
static void write_servers(bool asked, char *text, size_t size)
{
	const char *obstacle = mp_debuginfod_obstacle();

	if (!asked)
		snprintf(text, size, "; or --debuginfod%s",
			 obstacle ? ", if DEBUGINFOD_URLS names a server" : "");
	else if (obstacle)
		snprintf(text, size, "; --debuginfod asked nobody: %s", obstacle);
	else
		snprintf(text, size, "; the servers of DEBUGINFOD_URLS have no names of it");
}

static void write_remedy(const struct mp_binary *binary, bool asked, char *text, size_t size)
{
	char name[NAME_SIZE];
	size_t i, used;

	snprintf(text, size, "build it with -g, or install its debug file");
	for (i = 0; i < sizeof(managers) / sizeof(*managers); i++)
		if (find_owner(&managers[i], binary->path, name)) {
			snprintf(text, size, managers[i].symbols, name);
			break;
		}
	used = strlen(text);
	write_servers(asked, text + used, size - used);
}

/* Of what a runtime's functions have. Only blocks of malloc() have a program's function. */
static bool write_runtime(const struct mp_obscurity *found, enum mp_metric metric,
			  bool heap_told, char *text)
{
	const char *heading = mp_metrics[metric].heading;

	/* one way at a time: the other one is to start the program anew */
	if (found->heap && heap_told)
		return false;
	if (found->heap && found->is_linked)
		snprintf(text, MP_HINT_SIZE,
			 "%s has a heap of its own: %s (%s also counts what was freed)",
			 found->runtime, found->heap, heading);
	else if (found->heap && found->is_small)
		snprintf(text, MP_HINT_SIZE,
			 "%s has a heap of its own, beside these blocks of malloc(): %s",
			 found->runtime, found->heap);
	else if (found->heap && (!found->remedy || metric == MP_TOUCHED || metric == MP_GROWTH))
		snprintf(text, MP_HINT_SIZE,
			 "%.0f %% of %s is in functions of %s, which has a heap of its own: %s%s%s%s",
			 found->percent, heading, found->runtime, found->heap,
			 metric == MP_TOUCHED ? " (TOUCHED also counts those that were freed)" : "",
			 found->remedy ? "; for functions of your program: " : "",
			 found->remedy ?: "");
	else
		snprintf(text, MP_HINT_SIZE,
			 "%.0f %% of %s is named by functions of %s, not of your program: %s",
			 found->percent, heading, found->runtime, found->remedy);
	return true;
}

/* Whether the file at a binary's path is gone, or another build, and no copy is there. */
static bool is_replaced(const struct mp_binary *binary)
{
	char path[MP_BINARY_FILE_PATH];
	uint8_t id[MP_BUILD_ID_SIZE];
	bool is_other;
	int fd;

	if (!binary->build_id_size)
		return false;
	fd = mp_binary_file_open(binary, path, sizeof(path));
	if (fd < 0)
		return access(binary->path, F_OK) && errno == ENOENT;
	is_other = mp_build_id_read_fd(fd, id) != binary->build_id_size ||
		   memcmp(id, binary->build_id, binary->build_id_size);
	close(fd);
	return is_other;
}

bool mp_hint_write(const struct mp_profile *profile, enum mp_metric metric, bool heap_told,
		   bool asked, char *text)
{
	const char *heading = mp_metrics[metric].heading;
	struct mp_obscurity found;
	char file[NAME_SIZE], remedy[MP_HINT_SIZE / 2];
	const char *slash;

	if (!mp_runtimes_obscure(profile, metric, &found))
		return false;
	if (found.runtime)
		return write_runtime(&found, metric, heap_told, text);
	if (found.probed) {
		snprintf(text, MP_HINT_SIZE,
			 "%.0f %% of %s has no caller: another tracer, such as bpftrace, has probes on the return of the functions that were called; measure again without it",
			 found.percent, heading);
		return true;
	}
	slash = strrchr(found.binary->path, '/');
	slash = slash ? slash + 1 : found.binary->path;
	mp_text_escape(file, sizeof(file), slash, strlen(slash));
	if (is_replaced(found.binary)) {
		snprintf(text, MP_HINT_SIZE,
			 "%.0f %% of %s is in %s, which is not the file of then any more, and no copy was kept: names need that build",
			 found.percent, heading, file);
		return true;
	}
	write_remedy(found.binary, asked, remedy, sizeof(remedy));
	snprintf(text, MP_HINT_SIZE, "%.0f %% of %s is in %s, which has no symbols: %s",
		 found.percent, heading, file, remedy);
	return true;
}

/* Puts @by in the place of a word of a hint. */
static void replace_word(char *text, const char *word, const char *by)
{
	char *place = text, rest[MP_HINT_SIZE];

	while ((place = strstr(place, word))) {
		/* part of another word */
		if (place == text || !strchr(" (/", place[-1])) {
			place += strlen(word);
			continue;
		}
		snprintf(rest, sizeof(rest), "%s", place + strlen(word));
		snprintf(place, MP_HINT_SIZE - (size_t)(place - text), "%s%s", by, rest);
	}
}

bool mp_hint_name_process(const struct mp_row *process, char *text)
{
	char comm[MP_PROCESS_COMM_SIZE], number[32];
	uint16_t port;

	/* another program may have its number by now */
	if (!process || process->flags & MP_ROW_EXITED ||
	    !mp_process_comm((pid_t)process->pid, comm) || strcmp(comm, process->comm))
		return true;
	snprintf(number, sizeof(number), "%" PRIu32, process->pid);
	replace_word(text, "PID", number);
	port = strstr(text, "ADDRESS") ? mp_listening_port((pid_t)process->pid) : 0;
	snprintf(number, sizeof(number), "127.0.0.1:%u", port);
	if (port)
		replace_word(text, "ADDRESS", number);
	return true;
}
