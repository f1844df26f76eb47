// SPDX-License-Identifier: GPL-2.0-only
/*
 * regions: a folder, file by file
 */
#include "regions.h"
#include "region.h"
#include "smaps.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool mp_regions_are(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (S_ISDIR(st.st_mode) || mp_region_is(path));
}

/* What it holds now, where it still does. */
static void fill_sizes(const struct mp_region *region,
		       struct mp_profile *profile, size_t from)
{
	size_t i;

	for (i = from; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_PROCESS &&
		    mp_region_lives(region))
			mp_smaps_fill((pid_t)region->header.pid,
				      &profile->rows[i], NULL);
}

static int read_one(struct mp_regions *regions, const char *path)
{
	struct mp_region region;
	size_t before = regions->profile->nr_rows;
	int err = mp_region_open(&region, path, false);

	if (!err)
		err = mp_region_profile(&region, regions->since_mark,
					regions->profile);
	if (!err)
		fill_sizes(&region, regions->profile, before);
	regions->nr += !err;
	if (err && err != -ENOMEM) {
		regions->nr_bad++;
		snprintf(regions->why, sizeof(regions->why), "%s",
			 err == -EBADMSG ? region.why : strerror(-err));
	}
	mp_region_close(&region);
	return err;
}

static int read_folder(struct mp_regions *regions, const char *path)
{
	char name[PATH_MAX];
	struct dirent *entry;
	size_t nr = 0;
	int err = 0;
	DIR *dir = opendir(path);

	if (!dir)
		return -errno;
	while (err != -ENOMEM && nr < MP_REGIONS_MAX &&
	       (entry = readdir(dir))) {
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (!mp_region_is(name))
			continue;
		nr++;
		err = read_one(regions, name);
	}
	closedir(dir);
	return err == -ENOMEM ? err : 0;
}

/*
 * A process that called exec has a region for each program, and the earlier ones
 * look as if they lived: only the latest does.
 */
static int end_earlier(struct mp_profile *profile)
{
	struct mp_map latest = { 0 };
	uint32_t *known;
	size_t i, j;
	int err = 0;

	for (i = 0; !err && i < profile->nr_rows; i++) {
		struct mp_row *row = &profile->rows[i], *earlier;

		if (row->kind != MP_ROW_PROCESS ||
		    row->flags & MP_ROW_EXITED)
			continue;
		known = mp_map_add(&latest, row->pid, 0);
		if (!known) {
			err = -ENOMEM;
			break;
		}
		j = *known;
		*known = (uint32_t)i;
		if (j == MP_MAP_NEW)
			continue;
		earlier = &profile->rows[j];
		if (earlier->start_ns > row->start_ns) {
			*known = (uint32_t)j;
			earlier = row;
		}
		earlier->flags |= MP_ROW_EXITED;
		earlier->exit_ns = earlier->start_ns + 1;
	}
	mp_map_free(&latest);
	return err;
}

int mp_regions_read(struct mp_regions *regions, const char *path)
{
	char text[256];
	struct stat st;
	int err;

	if (stat(path, &st))
		return -errno;
	err = S_ISDIR(st.st_mode) ? read_folder(regions, path) :
				    read_one(regions, path);
	if (err && err != -EBADMSG)
		return err;
	if (!regions->nr) {
		if (!regions->why[0])
			snprintf(regions->why, sizeof(regions->why),
				 "holds no region of libmemprof");
		return -EBADMSG;
	}
	err = end_earlier(regions->profile);
	if (err || !regions->nr_bad)
		return err;
	snprintf(text, sizeof(text), "%zu processes could not be read (%s)",
		 regions->nr_bad, regions->why);
	return mp_profile_warn(regions->profile, text);
}
