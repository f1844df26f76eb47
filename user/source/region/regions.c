// SPDX-License-Identifier: GPL-2.0-only
/*
 * regions: reads a region, or all regions in a folder
 *
 * A region that cannot be read is counted and reported as a warning. Functions
 * return -ENOMEM without memory.
 */
#include "regions.h"
#include "clock.h"
#include "region.h"
#include "region-resident.h"
#include "smaps.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Prefix of the library's default file name. */
#define STRAY	"memprof."

bool mp_regions_are(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (S_ISDIR(st.st_mode) || mp_region_is(path));
}

/*
 * Adds the sizes of the region's process: those now, or those at its end. Blocks after a
 * mark are not all blocks on a page, so the pages are not divided by them.
 */
static void fill_sizes(const struct mp_regions *regions, const struct mp_region *region,
		       const struct mp_region_rows *rows)
{
	struct mp_profile *profile = regions->profile;

	if (!regions->since_mark && !mp_region_resident(region, rows, regions->cold, profile))
		return;
	if (mp_region_lives(region))
		mp_smaps_fill(mp_region_pid(region), &profile->rows[rows->process], NULL);
}

static int read_one(struct mp_regions *regions, const char *path)
{
	struct mp_region region;
	struct mp_region_rows rows = { 0 };
	int err = mp_region_open(&region, path, false);

	region.pid = regions->pid;
	if (!err && regions->since_mark && !region.header.control.mark_ns) {
		region.why = "it was never marked (memprofctl mark does)";
		err = -EBADMSG;
	}
	if (!err)
		err = mp_region_profile(&region, regions->since_mark,
					regions->profile, &rows);
	if (!err)
		fill_sizes(regions, &region, &rows);
	regions->nr += !err;
	if (err && err != -ENOMEM) {
		regions->nr_bad++;
		snprintf(regions->why, sizeof(regions->why), "%s",
			 err == -EBADMSG ? region.why : strerror(-err));
	}
	mp_region_close(&region);
	free(rows.of_stack);
	return err;
}

static int read_folder(struct mp_regions *regions, const char *path)
{
	char name[PATH_MAX];
	struct dirent *entry;
	int err = 0;
	DIR *dir = opendir(path);

	if (!dir)
		return -errno;
	while (err != -ENOMEM && (entry = readdir(dir))) {
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		/*
		 * skip links: the library creates none, but a process that
		 * has dropped root may create them
		 */
		if (entry->d_type == DT_LNK || !mp_region_is(name))
			continue;
		if (regions->nr < MP_REGIONS_MAX)
			err = read_one(regions, name);
		else
			regions->nr_left++;
	}
	closedir(dir);
	return err == -ENOMEM ? err : 0;
}

/*
 * Returns true if a region is younger than @since_ns by one of two clocks. In
 * another time namespace the monotonic clock has another value, so the
 * real-time clock is compared, too. Users can set that clock, so it is not
 * enough alone.
 */
static bool is_younger(const struct memprof_region_header *header, uint64_t since_ns)
{
	struct timespec now;
	uint64_t since_real_ns;

	clock_gettime(CLOCK_REALTIME, &now);
	since_real_ns = now.tv_sec * 1000000000ULL + now.tv_nsec -
			(mp_clock_ns() - since_ns);
	return header->start_ns >= since_ns || header->start_real_ns >= since_real_ns;
}

/*
 * Returns true if the region is younger than @since_ns and its process could
 * not write to the requested folder. @is_ours: out: the file belongs to our
 * user.
 */
static bool has_moved(const char *path, uint64_t since_ns, bool *is_ours)
{
	struct mp_region region;
	struct stat st;
	bool is = !mp_region_open(&region, path, false) &&
		  !fstat(region.fd, &st) &&
		  is_younger(&region.header, since_ns) &&
		  mp_region_counter(&region, "out_unusable");

	*is_ours = is && st.st_uid == geteuid();
	mp_region_close(&region);
	return is;
}

int mp_regions_strays(struct mp_regions *regions, const char *path,
		      uint64_t since_ns)
{
	char name[PATH_MAX];
	struct dirent *entry;
	bool is_ours;
	int err = 0;
	DIR *dir = opendir(path);

	while (dir && err != -ENOMEM && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, STRAY, strlen(STRAY)))
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (!has_moved(name, since_ns, &is_ours))
			continue;
		if (is_ours)
			err = read_one(regions, name);
		else
			regions->nr_others++;
	}
	if (dir)
		closedir(dir);
	return err == -ENOMEM ? err : 0;
}

/*
 * A process that called exec has one region for each program. By their process
 * id all of them seem to be running, but only the latest one is.
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

static int warn(struct mp_regions *regions)
{
	char text[256];
	int err = 0;

	if (regions->nr_bad) {
		snprintf(text, sizeof(text),
			 "%zu processes could not be read (%s)",
			 regions->nr_bad, regions->why);
		err = mp_profile_warn(regions->profile, text);
	}
	if (!err && regions->nr_left) {
		snprintf(text, sizeof(text),
			 "%zu processes were left out: no more than %d are read",
			 regions->nr_left, MP_REGIONS_MAX);
		err = mp_profile_warn(regions->profile, text);
	}
	return err;
}

int mp_regions_read(struct mp_regions *regions, const char *path)
{
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
	return end_earlier(regions->profile) ?: warn(regions);
}
