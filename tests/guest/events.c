// SPDX-License-Identifier: GPL-2.0-only
/*
 * events: prints how many instructions, of user and kernel mode, a pair of malloc and
 * free takes: unprofiled, with bare traps at the same three points, and followed by
 * memprof. For a machine that counts instructions: the arm64 guest.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "allocator.h"
#include "session.h"

#define PAIRS 2000
#define WARM 300

/* Allocates, and frees what was allocated eight pairs before. */
static void allocate_and_free(long n)
{
	static void *p[8];
	long i;

	for (i = 0; i < n; i++) {
		if (p[i % 8])
			my_free(p[i % 8]);
		p[i % 8] = i % 2 ? my_malloc(64) : my_malloc(200);
	}
}

static int open_event(uint32_t type, uint64_t config, uint64_t path, uint64_t at,
		      pid_t pid)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config,
		.config1 = path, .config2 = at,
	};

	return syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
}

/* Instructions per pair, or -1. */
static double measure(void)
{
	int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0, 0);
	uint64_t before, after;

	if (fd < 0)
		return -1;
	allocate_and_free(WARM);
	if (read(fd, &before, 8) != 8)
		return -1;
	allocate_and_free(PAIRS);
	if (read(fd, &after, 8) != 8)
		return -1;
	close(fd);
	return (double)(after - before) / PAIRS;
}

static int read_number(const char *path, const char *format)
{
	FILE *file = fopen(path, "r");
	int n = -1;

	if (file && fscanf(file, format, &n) != 1)
		n = -1;
	if (file)
		fclose(file);
	return n;
}

/* Counts hits of a function of this program, or its returns. */
static int trap(void *function, bool returns)
{
	int type = read_number("/sys/bus/event_source/devices/uprobe/type", "%d");
	uint64_t offset;

	if (!session_file_of(function, &offset))
		return -1;
	return open_event(type, returns, (uintptr_t)"/proc/self/exe", offset, 0);
}

static double measure_bare(void)
{
	int fd[3] = { trap(my_malloc, false), trap(my_malloc, true),
		      trap(my_free, false) };
	double n = fd[0] < 0 || fd[1] < 0 || fd[2] < 0 ? -1 : measure();
	int i;

	for (i = 0; i < 3; i++)
		close(fd[i]);
	return n;
}

static double measure_session(uint64_t rate)
{
	int fd = session_open();
	double n = -1;

	if (!session_target_pid(fd, getpid(), 0) && !allocator_probe(fd) &&
	    !allocator_start(fd, rate, 1 << 20, 0, 0))
		n = measure();
	close(fd);
	return n;
}

int main(void)
{
	double none, bare, exact, sampled;

	if (!allocator_open())
		return 1;
	none = measure();
	bare = measure_bare();
	exact = measure_session(1);
	sampled = measure_session(512 << 10);
	printf("%-36s %12s %8s\n", "malloc + free", "instructions", "to bare");
	printf("%-36s %12.0f\n", "unprofiled", none);
	printf("%-36s %12.0f %8.2f\n", "bare traps: entry, return, free", bare, 1.);
	printf("%-36s %12.0f %8.2f\n", "followed, exact", exact, exact / bare);
	printf("%-36s %12.0f %8.2f\n", "followed, --alloc 512K", sampled,
	       sampled / bare);
	return none < 0 || bare < 0 || exact < 0 || sampled < 0;
}
