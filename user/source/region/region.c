// SPDX-License-Identifier: GPL-2.0-only
/*
 * region: opens a file that another process writes
 *
 * The file is read and never mapped. If the process truncates the file, a read
 * is short and no signal is raised. Data is copied before it is checked. Files
 * of other users are refused, except for root. Only regular files are opened,
 * because an untrusted process chooses which files it maps.
 */
#include "region.h"
#include "clock.h"
#include "maps.h"
#include "process-file.h"
#include "regular-file.h"
#include "time-offsets.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

static const char *check_header(const struct memprof_region_header *header,
				uint64_t size)
{
	if (header->magic != MEMPROF_REGION_MAGIC)
		return "no region of libmemprof";
	if (header->version != MEMPROF_REGION_VERSION ||
	    header->size < offsetof(struct memprof_region_header, sections) ||
	    header->nr_sections < MEMPROF_REGION_FUNCTIONS)
		return "of another version of libmemprof";
	if (header->state == MEMPROF_REGION_STARTING)
		return "its process was just starting";
	if (header->file_size > size)
		return "cut short";
	return NULL;
}

static int read_header(struct mp_region *region)
{
	struct stat st;
	ssize_t got;
	uint32_t i;

	if (fstat(region->fd, &st))
		return -errno;
	if (st.st_uid != geteuid() && geteuid())
		return -EPERM;
	got = pread(region->fd, &region->header, sizeof(region->header), 0);
	if (got < 0)
		return -errno;
	if (got != sizeof(region->header))
		return -EBADMSG;
	/* older regions have no names of functions, no peaks, and no pages */
	for (i = MEMPROF_REGION_FUNCTIONS; i < MEMPROF_REGION_NR_SECTIONS; i++)
		if (region->header.nr_sections <= i)
			region->header.sections[i] = (struct memprof_region_section){ 0 };
	region->why = check_header(&region->header, (uint64_t)st.st_size);
	return region->why ? -EBADMSG : 0;
}

int mp_region_open(struct mp_region *region, const char *path, bool writable)
{
	*region = (struct mp_region){
		.why = "no region of libmemprof",
	};
	region->fd = writable ? mp_regular_open_writable(path, NULL) :
				mp_regular_open(path, NULL);
	if (region->fd == -EINVAL || region->fd == -EMEDIUMTYPE)
		return -EBADMSG;
	return region->fd < 0 ? region->fd : read_header(region);
}

void mp_region_close(struct mp_region *region)
{
	if (region->fd >= 0)
		close(region->fd);
	region->fd = -1;
}

static bool is_region(const char *path, const struct mp_identity *identity)
{
	int fd = mp_regular_open(path, identity);
	uint64_t magic = 0;

	if (fd < 0)
		return false;
	if (read(fd, &magic, sizeof(magic)) != sizeof(magic))
		magic = 0;
	close(fd);
	return magic == MEMPROF_REGION_MAGIC;
}

bool mp_region_is(const char *path)
{
	return is_region(path, NULL);
}

/*
 * Reads field 22 of /proc/PID/stat. It is counted from the end of the command
 * name, which can contain any character.
 */
static uint64_t start_ticks(pid_t pid)
{
	char path[64], line[1024], *at;
	uint64_t ticks = 0;
	FILE *file;
	size_t got;
	int field;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	got = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[got] = '\0';
	at = strrchr(line, ')');
	for (field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		sscanf(at, " %" SCNu64, &ticks);
	return ticks;
}

/*
 * Compares the start time of a process with @theirs, both in clock ticks. The
 * process read @theirs by the clock of its own time namespace, so the offset of
 * that clock is added to ours. If the offset is not a whole number of ticks,
 * the two times are rounded differently, and may differ by one tick.
 */
static bool is_same_start(pid_t pid, uint64_t theirs)
{
	struct mp_time_offsets offsets;
	uint64_t ours = start_ticks(pid);
	int64_t ticks, difference;

	if (ours == theirs || !ours)
		return ours;
	mp_time_offsets_read(pid, &offsets);
	ticks = offsets.boottime / (1000000000 / sysconf(_SC_CLK_TCK));
	difference = (int64_t)(theirs - ours) - ticks;
	return offsets.boottime && difference >= -1 && difference <= 1;
}

bool mp_region_lives(const struct mp_region *region)
{
	const struct memprof_region_header *header = &region->header;

	return header->state == MEMPROF_REGION_RUNNING && header->start_ticks &&
	       is_same_start(mp_region_pid(region), header->start_ticks);
}

uint64_t mp_region_now_ns(const struct mp_region *region)
{
	struct mp_time_offsets offsets;

	mp_time_offsets_read(mp_region_pid(region), &offsets);
	return mp_clock_ns() + (uint64_t)offsets.monotonic;
}

/* Writes one word, so the process never sees half of it. */
static int write_control(const struct mp_region *region, size_t offset, const void *value,
			 size_t size)
{
	ssize_t written = pwrite(region->fd, value, size,
				 offsetof(struct memprof_region_header, control) +
				 offset);

	return written == (ssize_t)size ? 0 : written < 0 ? -errno : -EIO;
}

int mp_region_mark(struct mp_region *region)
{
	struct memprof_region_control *control = &region->header.control;

	control->mark_ns = mp_region_now_ns(region);
	control->nr_marks++;
	return write_control(region, offsetof(struct memprof_region_control, mark_ns),
			     &control->mark_ns, sizeof(control->mark_ns)) ?:
	       write_control(region, offsetof(struct memprof_region_control, nr_marks),
			     &control->nr_marks, sizeof(control->nr_marks));
}

int mp_region_pause(struct mp_region *region, bool paused)
{
	struct memprof_region_control *control = &region->header.control;

	control->active = !paused;
	return write_control(region, offsetof(struct memprof_region_control, active),
			     &control->active, sizeof(control->active));
}

/*
 * State of the search for a region in a process's mappings. A region stays mapped when the
 * library is taken out, so there are several after it was put in again: the one that is being
 * written counts, or else the newest.
 */
struct search {
	char *path;
	bool has_library, has_shared;
	bool found, is_written;
	uint64_t start_ns;
};

static void take_region(struct search *search, const char *path)
{
	struct mp_region region;
	bool is_written;

	/* what is damaged is found, too: who reads it says what is wrong */
	mp_region_open(&region, path, false);
	is_written = region.header.state != MEMPROF_REGION_EXITED;
	if (!search->found || is_written > search->is_written ||
	    (is_written == search->is_written &&
	     region.header.start_ns > search->start_ns)) {
		strcpy(search->path, path);
		search->is_written = is_written;
		search->start_ns = region.header.start_ns;
		search->found = true;
	}
	mp_region_close(&region);
}

static int check_mapping(void *context, pid_t pid,
			 const struct mp_map_line *line)
{
	const struct mp_identity identity = {
		line->inode, makedev(line->major, line->minor),
	};
	struct search *search = context;
	char path[PATH_MAX];

	if (line->name[0] != '/')
		return 0;
	search->has_library |= strstr(line->name, "/libmemprof.so") != NULL;
	/* only a shared, writable mapping can be a region */
	if (strcmp(line->permissions, "rw-s"))
		return 0;
	search->has_shared = true;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)pid, line->start, line->end);
	if (mp_region_is(path)) {
		take_region(search, path);
		return 0;
	}
	/* another file may have this path now */
	if (snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, line->name) <
	    (int)sizeof(path) && is_region(path, &identity))
		take_region(search, path);
	return 0;
}

/*
 * Returns true if the region is the parent's: after clone() a child still maps
 * it.
 */
static bool is_of_parent(pid_t pid, const char *path)
{
	uint32_t number = (uint32_t)mp_process_own_pid(pid);
	struct mp_region region;
	bool is = !mp_region_open(&region, path, false) && number &&
		  region.header.pid != number;

	mp_region_close(&region);
	return is;
}

int mp_region_find(pid_t pid, char *path)
{
	struct search search = { .path = path };
	int found = mp_maps_each(pid, check_mapping, &search);

	if (found < 0)
		return found;
	if (search.found && is_of_parent(pid, path))
		return -ECHILD;
	if (search.found)
		return search.is_written ? 0 : -ESTALE;
	/*
	 * -ECHILD: after fork() a child has unmapped its parent's region, and
	 * has not created its own region yet
	 */
	return !search.has_library ? -ENOENT :
	       search.has_shared ? -ENODATA : -ECHILD;
}
