// SPDX-License-Identifier: GPL-2.0-only
/*
 * privileged-exec: checks a file's setuid bits and capabilities, or whether we
 * may not read a process
 */
#include "privileged-exec.h"
#include "process-file.h"
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Limit of generations of children; deeper ones are not examined. */
#define MAX_DEPTH	64

bool mp_privileged_exec_gained(const char *path)
{
	struct stat st;

	return !stat(path, &st) &&
	       (st.st_mode & (S_ISUID | S_ISGID) ||
		getxattr(path, "security.capability", NULL, 0) > 0);
}

static void name_of(pid_t pid, char *name)
{
	char comm[MP_PROCESS_COMM_SIZE];

	mp_process_comm(pid, comm);
	/*
	 * a name has at most 15 bytes, and escaping makes a byte at most four
	 * bytes long
	 */
	mp_text_escape(name, MP_PRIVILEGED_EXEC_NAME, comm,
		       strnlen(comm, MP_PRIVILEGED_EXEC_NAME / 4 - 1));
}

static bool has_gained(pid_t pid)
{
	char path[64], target[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (mp_privileged_exec_gained(path))
		return true;
	return readlink(path, target, sizeof(target)) < 0 && errno == EACCES;
}

static void add_name(struct mp_privileged_exec *privileged, pid_t pid)
{
	char name[MP_PRIVILEGED_EXEC_NAME];
	size_t i;

	name_of(pid, name);
	if (!name[0])
		return;
	for (i = 0; i < privileged->nr; i++)
		if (!strcmp(privileged->names[i], name))
			return;
	if (privileged->nr == MP_PRIVILEGED_EXEC_MAX)
		return;
	memcpy(privileged->names[privileged->nr++], name, sizeof(name));
}

static void look_at(struct mp_privileged_exec *privileged, pid_t pid, int depth);

static void look_at_children(struct mp_privileged_exec *privileged, const char *list,
			     int depth)
{
	FILE *file = fopen(list, "re");
	int child;

	while (file && fscanf(file, "%d", &child) == 1)
		look_at(privileged, child, depth + 1);
	if (file)
		fclose(file);
}

static void look_at(struct mp_privileged_exec *privileged, pid_t pid, int depth)
{
	char path[PATH_MAX];
	struct dirent *task;
	DIR *tasks;

	if (depth == MAX_DEPTH)
		return;
	/* skip the command itself: it is checked before it runs */
	if (depth && has_gained(pid))
		add_name(privileged, pid);
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (task = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/children",
			 (int)pid, task->d_name);
		if (task->d_name[0] != '.')
			look_at_children(privileged, path, depth);
	}
	if (tasks)
		closedir(tasks);
}

void mp_privileged_exec_watch(struct mp_privileged_exec *privileged, pid_t pid)
{
	look_at(privileged, pid, 0);
}
