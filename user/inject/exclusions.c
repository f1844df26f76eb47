// SPDX-License-Identifier: GPL-2.0-only
/*
 * exclusions: reads /etc/memprof/inject.conf before each injection
 *
 * A unit of systemd is a cgroup with its name, so is a container of most runtimes.
 */
#include "exclusions.h"
#include "process-file.h"

#include <errno.h>
#include <fnmatch.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_LINE	1024
#define SPACES		" \t\r\n"

/* Tells whether a pattern matches one of the names in a path. Changes the path. */
static bool is_in(char *path, const char *pattern)
{
	char *name, *rest;

	for (name = strtok_r(path, "/", &rest); name;
	     name = strtok_r(NULL, "/", &rest))
		if (!fnmatch(pattern, name, 0))
			return true;
	return false;
}

/* Returns 1 if the user is meant, 0 if not, -1 if there is no such user. */
static int is_user(const char *name, uid_t user)
{
	const struct passwd *entry;
	unsigned long id;
	char *end;

	id = strtoul(name, &end, 10);
	if (!*end)
		return id == user;
	entry = getpwnam(name);
	return entry ? entry->pw_uid == user : -1;
}

/* Returns 1 if the line excludes the process, 0 if not, -1 if it is no rule. */
static int check_line(char *line, const char *cgroup, uid_t user)
{
	char path[MP_PROCESS_CGROUP_SIZE], *verb, *value, *rest;

	line[strcspn(line, "#")] = '\0';
	verb = strtok_r(line, SPACES, &rest);
	if (!verb)
		return 0;
	value = strtok_r(NULL, SPACES, &rest);
	if (!value || strtok_r(NULL, SPACES, &rest))
		return -1;
	if (!strcmp(verb, "exclude-user"))
		return is_user(value, user);
	if (strcmp(verb, "exclude-unit"))
		return -1;
	snprintf(path, sizeof(path), "%s", cgroup);
	return is_in(path, value);
}

int mp_exclusions_read(FILE *file, const char *cgroup, uid_t user)
{
	char line[MAX_LINE];
	int number = 0, found;

	while (fgets(line, sizeof(line), file)) {
		number++;
		/* a longer line is no rule */
		found = strlen(line) == sizeof(line) - 1 ? -1 :
			check_line(line, cgroup, user);
		if (found)
			return found * number;
	}
	return 0;
}

static bool is_of_root(FILE *file)
{
	struct stat st;

	return !fstat(fileno(file), &st) && S_ISREG(st.st_mode) && !st.st_uid &&
	       !(st.st_mode & 0022);
}

static int refuse_line(int line, pid_t pid, struct mp_diag *diag)
{
	if (!line)
		return 0;
	if (line < 0)
		return mp_diag_fail(diag, 0, "it has: exclude-unit PATTERN, exclude-user USER",
				    "nothing is injected, because line %d of %s is no rule",
				    -line, MP_EXCLUSIONS_FILE);
	return mp_diag_fail(diag, EPERM, NULL, "process %d is excluded by line %d of %s",
			    (int)pid, line, MP_EXCLUSIONS_FILE);
}

int mp_exclusions_refuse(pid_t pid, struct mp_diag *diag)
{
	FILE *file = fopen(MP_EXCLUSIONS_FILE, "re");
	char cgroup[MP_PROCESS_CGROUP_SIZE] = "", line[256];
	unsigned int user = 0;
	int err;

	if (!file)
		return errno == ENOENT || errno == ENOTDIR ? 0 :
		       mp_diag_fail(diag, errno, NULL, "cannot read %s",
				    MP_EXCLUSIONS_FILE);
	if (!is_of_root(file)) {
		err = mp_diag_fail(diag, 0, "only root may be able to write it",
				   "nothing is injected, because of the owner or mode of %s",
				   MP_EXCLUSIONS_FILE);
	} else {
		mp_process_cgroup(pid, cgroup);
		if (mp_process_file_line(pid, "status", "Uid:", line, sizeof(line)))
			sscanf(line, "Uid: %u", &user);
		err = refuse_line(mp_exclusions_read(file, cgroup, user), pid, diag);
	}
	fclose(file);
	return err;
}
