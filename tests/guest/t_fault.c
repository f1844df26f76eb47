// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults: exact at period 1, otherwise an estimate within its bounds.
 */
#include "session.h"
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 180
#define PAGE 4096L
/* Faults of the test itself between two snapshots: stack, data, libc. */
#define SLACK 64
/* Limit of pages that a thread keeps out of the kernel's counters before 6.2. */
#define CACHED 64

FIXTURE(fault) {
	int fd;
};

FIXTURE_VARIANT(fault) {
	uint32_t period;
};

FIXTURE_VARIANT_ADD(fault, every_one) { .period = 1 };
FIXTURE_VARIANT_ADD(fault, one_in_100) { .period = 100 };

FIXTURE_SETUP(fault)
{
	self->fd = session_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, session_target_pid(self->fd, getpid(), 0));
	ASSERT_EQ(0, session_start(self->fd, variant->period, 1, 0));
}

FIXTURE_TEARDOWN(fault)
{
	close(self->fd);
}

static char *map(size_t len)
{
	char *m = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m != MAP_FAILED)
		madvise(m, len, MADV_NOHUGEPAGE);
	return m;
}

static void touch(char *m, long pages)
{
	long i;

	for (i = 0; i < pages; i++)
		((volatile char *)m)[i * PAGE] = 1;
}

/* Returns five sigma of an estimate that has one sample per "period" events. */
static double bound(long events, uint32_t period)
{
	return period == 1 ? SLACK : 5 * sqrt((double)events * period);
}

TEST_F_TIMEOUT(fault, touched_pages_are_counted, TEST_TIMEOUT)
{
	long pages = variant->period == 1 ? 5000 : 40000;
	struct memprof_process p;
	char *m = map(pages * PAGE);

	ASSERT_NE(MAP_FAILED, m);
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	touch(m, pages);
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(p.tally.minor_faults,
		  p.tally.minor_samples * variant->period);
	EXPECT_LE(pages - bound(pages, variant->period), p.tally.minor_faults)
		TH_LOG("%ld pages, %llu faults", pages, p.tally.minor_faults);
	EXPECT_GE(pages + bound(pages, variant->period), p.tally.minor_faults);
	if (variant->period == 1)
		EXPECT_LE(pages, p.tally.minor_faults);
	/* touched pages are resident, and the kernel's counters contain them */
	EXPECT_LE((pages - CACHED) * PAGE, p.resident.anon_bytes);
	EXPECT_GE(pages * PAGE + 4096 * 1024, p.resident.anon_bytes);
	EXPECT_LE(p.resident.anon_bytes, p.peak.anon_bytes);
	EXPECT_LE(p.resident.anon_bytes, p.peak_rss_bytes);
	munmap(m, pages * PAGE);
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_GE(4096 * 1024, p.resident.anon_bytes);
	EXPECT_LE((pages - CACHED) * PAGE, p.peak_rss_bytes);
}

TEST_F_TIMEOUT(fault, pages_that_the_kernel_touches_count, TEST_TIMEOUT)
{
	long pages = variant->period == 1 ? 1000 : 40000;
	int zero = open("/dev/zero", O_RDONLY);
	struct memprof_process p;
	char *m = map(pages * PAGE);

	ASSERT_GE(zero, 0);
	ASSERT_NE(MAP_FAILED, m);
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	ASSERT_EQ(pages * PAGE, read(zero, m, pages * PAGE));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_LE(pages - bound(pages, variant->period), p.tally.minor_faults);
	EXPECT_GE(pages + bound(pages, variant->period), p.tally.minor_faults);
}

TEST_F_TIMEOUT(fault, one_huge_page_is_one_fault, TEST_TIMEOUT)
{
	long size = 2 << 20, n = 8, i, huge;
	struct memprof_process p;
	char *m, *start;

	if (variant->period != 1)
		SKIP(return, "a few faults need period 1");
	m = mmap(NULL, (n + 1) * size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, m);
	start = (char *)(((unsigned long)m + size - 1) & -size);
	if (madvise(start, n * size, MADV_HUGEPAGE))
		SKIP(return, "no transparent huge pages here");
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	for (i = 0; i < n * size; i += PAGE)
		((volatile char *)start)[i] = 1;
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	/* between "all pages are huge" and, because memory is fragmented, "none is" */
	huge = n * size / PAGE;
	EXPECT_LE(n, p.tally.minor_faults);
	EXPECT_GE(huge + SLACK, p.tally.minor_faults);
	EXPECT_LE(n * size, p.resident.anon_bytes);
}

TEST_F_TIMEOUT(fault, reading_an_evicted_file_is_a_major_fault, TEST_TIMEOUT)
{
	struct memprof_process p;
	int i, fd, drop;
	volatile char *m, sum = 0;

	/*
	 * use a large file of the host, which the guest reads over a network
	 * file system
	 */
	fd = open("/usr/bin/python3", O_RDONLY);
	ASSERT_GE(fd, 0);
	m = mmap(NULL, 1024 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)m);
	madvise((void *)m, 1024 * PAGE, MADV_RANDOM);
	drop = open("/proc/sys/vm/drop_caches", O_WRONLY);
	ASSERT_EQ(1, write(drop, "3", 1));
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	for (i = 0; i < 1024; i += 32)
		sum += m[i * PAGE];
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_LE(32, p.tally.major_faults);
	EXPECT_EQ(p.tally.major_samples, p.tally.major_faults);
}

static int cpu_online(int cpu, int online)
{
	char path[64];
	int fd, n;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -1;
	n = write(fd, online ? "1" : "0", 1);
	close(fd);
	return n == 1 ? 0 : -1;
}

TEST_F_TIMEOUT(fault, a_cpu_that_went_and_came_back_counts, TEST_TIMEOUT)
{
	long pages = variant->period == 1 ? 1000 : 40000;
	struct memprof_process p;
	cpu_set_t one;
	int round;
	char *m;

	if (sysconf(_SC_NPROCESSORS_CONF) < 2)
		SKIP(return, "one CPU only");
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, cpu_online(1, 0));
		ASSERT_EQ(0, cpu_online(1, 1));
	}
	CPU_ZERO(&one);
	CPU_SET(1, &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	/* a work item resets the counters later */
	for (round = 0; round < 100; round++) {
		ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
		touch(map(200 * PAGE), 200);
		if (!session_look(self->fd, getpid(), &p) &&
		    p.tally.minor_faults)
			break;
		usleep(100000);
	}
	m = map(pages * PAGE);
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	touch(m, pages);
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_LE(pages - bound(pages, variant->period), p.tally.minor_faults);
	EXPECT_GE(pages + bound(pages, variant->period), p.tally.minor_faults);
	EXPECT_EQ(0, session_counter(self->fd, "fault_cpu_failed"));
}

TEST_F_TIMEOUT(fault, stopping_while_a_cpu_is_away_is_clean, TEST_TIMEOUT)
{
	if (sysconf(_SC_NPROCESSORS_CONF) < 2)
		SKIP(return, "one CPU only");
	ASSERT_EQ(0, cpu_online(1, 0));
	EXPECT_EQ(0, session_stop(self->fd));
	ASSERT_EQ(0, cpu_online(1, 1));
	EXPECT_EQ(0, session_snapshot(self->fd, 0));
}

TEST_HARNESS_MAIN
