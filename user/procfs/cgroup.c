// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup: finds ids and paths in the cgroup v2 mount
 *
 * A look-up costs three system calls. mp_cgroup_name_all() walks the hierarchy and
 * calls stat() for each directory. Directories that cannot be read are left
 * out.
 */
#include "cgroup.h"

#include <errno.h>
#include <fts.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Decodes a path of mountinfo, which has \ooo (octal) for spaces and backslashes. */
static void unescape(char *to, const char *from, size_t len)
{
	unsigned int code;
	size_t i = 0;

	while (i < len) {
		if (from[i] == '\\' && i + 3 < len &&
		    sscanf(from + i + 1, "%3o", &code) == 1) {
			*to++ = (char)code;
			i += 4;
		} else {
			*to++ = from[i++];
		}
	}
	*to = '\0';
}

int mp_cgroup_parse_mount(const char *line, char *mount)
{
	const char *field = line;
	const char *type = strstr(line, " - cgroup2 ");
	size_t len;
	int i;

	if (!type)
		return 0;
	for (i = 0; i < 4; i++) {
		field = strchr(field, ' ');
		if (!field || field >= type)
			return 0;
		field++;
	}
	len = strcspn(field, " ");
	if (!len || len >= PATH_MAX)
		return 0;
	unescape(mount, field, len);
	return 1;
}

static bool is_cgroup2(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

static int read_mount(char *mount)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	int found = 0;

	if (!file)
		return -errno;
	while (!found && getline(&line, &size, file) > 0)
		found = mp_cgroup_parse_mount(line, mount);
	free(line);
	fclose(file);
	return found ? 0 : -ENOENT;
}

/* The kernel writes mountinfo anew for each reader: a collector asks for each process. */
int mp_cgroup_mount(char *mount)
{
	static _Thread_local char known[PATH_MAX];
	int err = 0;

	if (!known[0] || !is_cgroup2(known))
		err = read_mount(known);
	if (err)
		known[0] = '\0';
	else
		strcpy(mount, known);
	return err;
}

static int id_of(const char *path, uint64_t *id)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	if (!is_cgroup2(path))
		return -EXDEV;
	*id = st.st_ino;
	return 0;
}

static bool is_below(const char *path, const char *mount)
{
	size_t len = strlen(mount);

	return !strncmp(path, mount, len) &&
	       (path[len] == '/' || path[len] == '\0');
}

/* Writes the folder of @path, in 2 * PATH_MAX bytes, and that of the mount. */
static int find_folder(const char *path, char *full, char *mount)
{
	int err = mp_cgroup_mount(mount);

	if (err)
		return err;
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	snprintf(full, 2 * PATH_MAX, "%s/%s", is_below(path, mount) ? "" : mount, path);
	return 0;
}

int mp_cgroup_find(const char *path, uint64_t *id)
{
	char mount[PATH_MAX], full[2 * PATH_MAX];

	return find_folder(path, full, mount) ?: id_of(full, id);
}

int mp_cgroup_path(const char *path, char *relative)
{
	char mount[PATH_MAX], full[2 * PATH_MAX], real[PATH_MAX];
	int err = find_folder(path, full, mount);

	if (err)
		return err;
	if (!realpath(full, real))
		return -errno;
	if (!is_below(real, mount))
		return -EXDEV;
	strcpy(relative, real[strlen(mount)] ? real + strlen(mount) : "/");
	return 0;
}

bool mp_cgroup_is_below(const char *path, const char *above)
{
	return !strcmp(above, "/") || is_below(path, above);
}

static bool has_unknown(const struct mp_profile *profile)
{
	const struct mp_row *row;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->cgroup &&
		    !mp_id_names_find(&profile->names, row->cgroup))
			return true;
	return false;
}

int mp_cgroup_resolve(struct mp_profile *profile)
{
	return has_unknown(profile) ? mp_cgroup_name_all(profile) : 0;
}

int mp_cgroup_name_all(struct mp_profile *profile)
{
	char mount[PATH_MAX];
	char * const roots[] = { mount, NULL };
	const char *path;
	int err = 0;
	FTSENT *entry;
	FTS *walk;

	if (mp_cgroup_mount(mount))
		return 0;
	walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	if (!walk)
		return -ENOMEM;
	while (!err && (entry = fts_read(walk))) {
		if (entry->fts_info != FTS_D)
			continue;
		path = entry->fts_path + strlen(mount);
		err = mp_id_names_add(&profile->names,
					  entry->fts_statp->st_ino,
					  path[0] ? path : "/");
	}
	fts_close(walk);
	return err;
}
