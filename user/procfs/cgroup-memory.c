// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup-memory: reads memory.current, memory.peak and memory.stat
 *
 * Each cgroup costs three reads of small files. A value that cannot be read is 0.
 */
#include "cgroup-memory.h"
#include "cgroup.h"
#include "process-file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static FILE *open_in(const char *path, const char *name)
{
	char full[2 * PATH_MAX + 32];

	snprintf(full, sizeof(full), "%s/%s", path, name);
	return fopen(full, "re");
}

uint64_t mp_cgroup_memory_number(const char *path, const char *name)
{
	FILE *file = open_in(path, name);
	uint64_t value = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%" SCNu64, &value) != 1)
		value = 0;
	fclose(file);
	return value;
}

static void read_stat(const char *path, struct mp_row *row)
{
	FILE *file = open_in(path, "memory.stat");
	char key[64];
	uint64_t value;

	while (file && fscanf(file, "%63s %" SCNu64, key, &value) == 2) {
		if (!strcmp(key, "anon"))
			row->value[MP_CGROUP_ANON] = value;
		else if (!strcmp(key, "file"))
			row->value[MP_CGROUP_FILE] = value;
		else if (!strcmp(key, "kernel"))
			row->value[MP_CGROUP_KERNEL] = value;
	}
	if (file)
		fclose(file);
}

uint64_t mp_cgroup_memory_cache(const char *path)
{
	FILE *file = open_in(path, "memory.stat");
	uint64_t value, sum = 0;
	char key[64];

	while (file && fscanf(file, "%63s %" SCNu64, key, &value) == 2)
		if (!strcmp(key, "active_file") || !strcmp(key, "inactive_file"))
			sum += value;
	if (file)
		fclose(file);
	return sum;
}

void mp_cgroup_memory_read(const char *path, struct mp_row *row)
{
	row->value[MP_CGROUP_CURRENT] = mp_cgroup_memory_number(path, "memory.current");
	row->value[MP_CGROUP_PEAK] = mp_cgroup_memory_number(path, "memory.peak");
	read_stat(path, row);
}

int mp_cgroup_memory_of(pid_t pid, struct mp_row *rows)
{
	char mount[PATH_MAX], cgroup[MP_PROCESS_CGROUP_SIZE];
	char path[2 * PATH_MAX + 32];
	struct stat st;
	int nr = 0;

	if (mp_cgroup_mount(mount) || !mp_process_cgroup(pid, cgroup))
		return 0;
	/* a path with "..": the cgroup is outside of our cgroup namespace */
	if (strstr(cgroup, "/.."))
		return 0;
	/* the root cgroup has no memory.current */
	while (nr < MP_CGROUP_DEPTH && strlen(cgroup) > 1) {
		snprintf(path, sizeof(path), "%s%s", mount, cgroup);
		if (stat(path, &st))
			break;
		rows[nr] = (struct mp_row){
			.kind = MP_ROW_CGROUP, .cgroup = st.st_ino,
		};
		mp_cgroup_memory_read(path, &rows[nr++]);
		*strrchr(cgroup, '/') = '\0';
	}
	return nr;
}

/* Whether a cgroup has a limit of its own; sets what is left of it. */
static bool read_room(const char *path, uint64_t *room)
{
	/* "max", which is no limit, is no number */
	const uint64_t max = mp_cgroup_memory_number(path, "memory.max");
	uint64_t used, cache;

	if (!max)
		return false;
	used = mp_cgroup_memory_number(path, "memory.current");
	cache = mp_cgroup_memory_cache(path);
	used -= cache < used ? cache : used;
	*room = max > used ? max - used : 0;
	return true;
}

bool mp_cgroup_memory_room(const char *cgroup, uint64_t *room)
{
	char mount[PATH_MAX], path[PATH_MAX], full[2 * PATH_MAX];
	bool limited = false;
	uint64_t left;

	if (mp_cgroup_mount(mount) || *cgroup != '/' || strlen(cgroup) >= sizeof(path) ||
	    strstr(cgroup, "/.."))
		return false;
	for (strcpy(path, cgroup); strlen(path) > 1; *strrchr(path, '/') = '\0') {
		snprintf(full, sizeof(full), "%s%s", mount, path);
		if (!read_room(full, &left))
			continue;
		*room = limited && *room < left ? *room : left;
		limited = true;
	}
	return limited;
}

void mp_cgroup_memory_fill(struct mp_profile *profile)
{
	char mount[PATH_MAX], full[2 * PATH_MAX];
	struct stat st;
	const char *path;
	struct mp_row *row;

	if (mp_cgroup_mount(mount))
		return;
	for (row = profile->rows; row < profile->rows + profile->nr_rows;
	     row++) {
		path = row->kind == MP_ROW_CGROUP ?
		       mp_id_names_find(&profile->names, row->cgroup) :
		       NULL;
		if (!path || path[0] != '/' || strlen(path) >= PATH_MAX)
			continue;
		snprintf(full, sizeof(full), "%s%s", mount, path);
		/* the path may belong to a new cgroup now, so compare the id */
		if (row->cgroup & MP_CGROUP_MADE_UP ||
		    (!stat(full, &st) && st.st_ino == row->cgroup))
			mp_cgroup_memory_read(full, row);
		else if (!row->nr_processes)
			row->flags |= MP_ROW_REMOVED;
	}
}
