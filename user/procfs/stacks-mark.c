// SPDX-License-Identifier: GPL-2.0-only
/*
 * stacks-mark: finds stacks through /proc/PID/task
 *
 * A thread takes about 10 us. If a file cannot be read, the mappings do not change.
 */
#include "stacks-mark.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Reads the stack pointer of a thread. The line is "NR ARG... SP PC" in a system call,
 * "-1 SP PC" if the thread sleeps outside of a system call, or "running".
 */
static uint64_t stack_pointer(pid_t pid, const char *tid)
{
	char path[64], line[256] = "", *at;
	uint64_t sp = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/syscall", (int)pid,
		 tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	at = strrchr(line, ' ');
	if (!at)
		return 0;
	*at = '\0';
	at = strrchr(line, ' ');
	return at && sscanf(at, " 0x%" SCNx64, &sp) == 1 ? sp : 0;
}

/* Size of glibc's guard, which is a part of the requested stack size. */
#define GUARD		4096

/* Default stack size of glibc if there is no limit, and the highest plausible limit. */
#define DEFAULT_STACK	(2UL << 20)
#define MAX_STACK	(1UL << 30)

static uint64_t stack_size(pid_t pid)
{
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_STACK, NULL, &limit) ||
	    limit.rlim_cur > MAX_STACK || limit.rlim_cur <= GUARD)
		return DEFAULT_STACK - GUARD;
	return limit.rlim_cur - GUARD;
}

/* Counts the bytes in resident pages of a range, with pagemap. */
static uint64_t count_present(int pagemap, uint64_t start, uint64_t end)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), entries[512], nr = 0;
	size_t i, want;
	ssize_t got;

	for (start /= page, end /= page; start < end; start += want) {
		want = end - start < 512 ? end - start : 512;
		got = pread(pagemap, entries, want * sizeof(*entries),
			    (off_t)(start * sizeof(*entries)));
		for (i = 0; got > 0 && i < (size_t)got / sizeof(*entries); i++)
			nr += entries[i] >> 63;
	}
	return nr * page;
}

static void move_share(uint64_t *low, uint64_t *high, uint64_t bytes)
{
	*low = *high < bytes ? *high : bytes;
	*high -= *low;
}

/*
 * Splits a mapping of a stack and other memory: @size bytes from its begin are the
 * stack.
 */
static void split_stack(struct mp_mappings *mappings, size_t at, uint64_t size,
			int pagemap)
{
	struct mp_mapping *list, *low, *high;
	uint64_t rss;

	list = reallocarray(mappings->list, mappings->nr + 1, sizeof(*list));
	if (!list)
		return;
	mappings->list = list;
	mappings->max = mappings->nr + 1;
	low = &list[at];
	high = low + 1;
	memmove(high, low, (mappings->nr++ - at) * sizeof(*list));
	low->end = high->start = low->start + size;
	rss = count_present(pagemap, low->start, low->end);
	move_share(&low->rss, &high->rss, rss);
	move_share(&low->pss, &high->pss, rss);
	move_share(&low->anon, &high->anon, rss);
	low->swap = 0;
	high->class = MP_MAPPING_ANON;
}

static void split_merged(pid_t pid, struct mp_mappings *mappings)
{
	uint64_t size = stack_size(pid);
	size_t i;
	char path[64];
	int pagemap;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	pagemap = open(path, O_RDONLY | O_CLOEXEC);
	for (i = mappings->nr; pagemap >= 0 && i-- > 0;) {
		const struct mp_mapping *mapping = &mappings->list[i];

		if (mapping->class == MP_MAPPING_STACK && !mapping->named &&
		    mapping->end - mapping->start > size)
			split_stack(mappings, i, size, pagemap);
	}
	if (pagemap >= 0)
		close(pagemap);
}

void mp_stacks_mark(pid_t pid, struct mp_mappings *mappings)
{
	struct mp_mapping *mapping;
	struct dirent *entry;
	char path[64];
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && nr < MP_MAX_STACKS && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		nr++;
		mapping = mp_mappings_at(mappings,
					 stack_pointer(pid, entry->d_name));
		if (mapping && mapping->class == MP_MAPPING_ANON)
			mapping->class = MP_MAPPING_STACK;
	}
	if (dir)
		closedir(dir);
	split_merged(pid, mappings);
}
