// SPDX-License-Identifier: GPL-2.0-only
/*
 * region: a mapping of a file that another one writes
 *
 * What is looked at is copied first and checked then. A file that is cut short
 * while it is read raises SIGBUS: only its owner, who could as well kill us, can
 * do that, for files of others are refused unless we are root.
 */
#include "region.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of sections of terabytes that are sparse; the numbers in use are far less. */
#define MAX_BYTES	(1ULL << 40)

static const char *check(const struct memprof_region_header *header,
			 uint64_t size)
{
	if (header->magic != MEMPROF_REGION_MAGIC)
		return "no region of libmemprof";
	if (header->version != MEMPROF_REGION_VERSION ||
	    header->size < sizeof(*header) ||
	    header->nr_sections < MEMPROF_REGION_NR_SECTIONS)
		return "of another version of libmemprof";
	if (header->state == MEMPROF_REGION_STARTING)
		return "its process was just starting";
	if (header->file_size > size)
		return "cut short";
	return NULL;
}

static int map(struct mp_region *region, int fd)
{
	int prot = PROT_READ | (region->writable ? PROT_WRITE : 0);
	struct stat st;
	void *base;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(region->header))
		return -EBADMSG;
	if (st.st_uid != geteuid() && geteuid())
		return -EPERM;
	region->size = (uint64_t)st.st_size < MAX_BYTES ? (size_t)st.st_size :
							  MAX_BYTES;
	base = mmap(NULL, region->size, prot, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED) {
		region->size = 0;
		return -errno;
	}
	region->base = base;
	memcpy(&region->header, base, sizeof(region->header));
	region->why = check(&region->header, region->size);
	return region->why ? -EBADMSG : 0;
}

int mp_region_open(struct mp_region *region, const char *path, bool writable)
{
	int fd, err;

	*region = (struct mp_region){
		.writable = writable, .why = "no region of libmemprof",
	};
	fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY |
		  O_NONBLOCK);
	if (fd < 0)
		return -errno;
	err = map(region, fd);
	close(fd);
	return err;
}

void mp_region_close(struct mp_region *region)
{
	if (region->size)
		munmap(region->base, region->size);
	region->size = 0;
}

bool mp_region_is(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	uint64_t magic = 0;
	struct stat st;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    read(fd, &magic, sizeof(magic)) != sizeof(magic))
		magic = 0;
	close(fd);
	return magic == MEMPROF_REGION_MAGIC;
}

/* Field 22 of /proc/PID/stat; a name may hold anything, so from its end on. */
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

bool mp_region_lives(const struct mp_region *region)
{
	return region->header.state == MEMPROF_REGION_RUNNING &&
	       start_ticks((pid_t)region->header.pid) ==
	       region->header.start_ticks;
}

static struct memprof_region_control *control_of(struct mp_region *region)
{
	return (void *)(region->base +
			offsetof(struct memprof_region_header, control));
}

void mp_region_mark(struct mp_region *region)
{
	struct memprof_region_control *control = control_of(region);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	__atomic_store_n(&control->mark_ns,
			 now.tv_sec * 1000000000ULL + now.tv_nsec,
			 __ATOMIC_RELAXED);
	__atomic_fetch_add(&control->nr_marks, 1, __ATOMIC_RELAXED);
}

void mp_region_pause(struct mp_region *region, bool paused)
{
	__atomic_store_n(&control_of(region)->active, !paused,
			 __ATOMIC_RELAXED);
}

int mp_region_find(pid_t pid, char *path)
{
	char name[64], *line = NULL, *at;
	size_t room = 0;
	int err = -ENOENT;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	file = fopen(name, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	while (err && getline(&line, &room, file) > 0) {
		at = strchr(line, '/');
		/* mapped for all to see, and writable */
		if (!at || !strstr(line, " rw-s "))
			continue;
		at[strcspn(at, "\n")] = '\0';
		snprintf(path, PATH_MAX, "/proc/%d/root%s", (int)pid, at);
		if (mp_region_is(path))
			err = 0;
	}
	free(line);
	fclose(file);
	return err;
}
