// SPDX-License-Identifier: GPL-2.0-only
/*
 * START and SNAPSHOT with failing kernel allocations: each allocation fails
 * once, and the session must stay as it was. Needs a kernel with failslab.
 */
#include "session.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 600

/* More allocations than START or SNAPSHOT makes. */
#define MAX_ALLOCATIONS 4000
#define SETTINGS "/sys/kernel/debug/failslab/"

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), n;

	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	close(fd);
	return n == (int)strlen(text) ? 0 : -1;
}

/* Makes the n-th allocation of this thread fail once; 0: none. */
static int arm(int fd, int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", n);
	return pwrite(fd, text, strlen(text), 0) > 0 ? 0 : -1;
}

/* Ends the failing. Returns true if an allocation has failed. */
static int disarm(int fd)
{
	char text[16] = { 0 };

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return -1;
	arm(fd, 0);
	return atoi(text) == 0;
}

FIXTURE(failslab) {
	int fd;
	int nth;
};

static int idle_session(void)
{
	int fd = session_open(), err;

	if (fd < 0)
		return fd;
	err = session_target_pid(fd, getpid(), MEMPROF_TARGET_CHILDREN) ?:
	      session_probe(fd, session_stop, MEMPROF_FUNC_FREE);
	return err ?: fd;
}

FIXTURE_SETUP(failslab)
{
	self->nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (self->nth < 0 || write_text(SETTINGS "ignore-gfp-wait", "N"))
		SKIP(return, "this kernel cannot make allocations fail");
	write_text(SETTINGS "verbose", "0");
	self->fd = idle_session();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(failslab)
{
	close(self->fd);
	close(self->nth);
}

/*
 * The number of the next allocation that fails. The later ones of START are those of a
 * dozen probes, which are alike: some of each are enough.
 */
static int next(int n)
{
	return n < 150 ? n + 1 : n + 7;
}

static int start(int fd, uint32_t max_processes)
{
	struct memprof_start a = {
		.size = sizeof(a), .flags = MEMPROF_START_ALLOC |
		MEMPROF_START_FAULTS | MEMPROF_START_GROWTH,
		.alloc_rate = 1, .max_live = 1000, .max_sites = 100,
		.max_processes = max_processes,
	};

	return session_ioctl(fd, MEMPROF_IOC_START, &a);
}

TEST_F_TIMEOUT(failslab, a_start_that_fails_leaves_the_session_idle,
	       TEST_TIMEOUT)
{
	struct memprof_status st;
	int n, err, failed = 0, hit;

	for (n = 1; n < MAX_ALLOCATIONS; n = next(n)) {
		ASSERT_EQ(0, arm(self->nth, n));
		err = start(self->fd, 10000 - n);
		hit = disarm(self->nth);
		ASSERT_GE(hit, 0);
		if (!hit)
			break;
		if (!err) {		/* the kernel could do without the allocation */
			close(self->fd);
			self->fd = idle_session();
			ASSERT_GE(self->fd, 0);
			continue;
		}
		failed++;
		ASSERT_EQ(0, session_status(self->fd, &st));
		ASSERT_EQ(MEMPROF_STATE_IDLE, st.state);
		ASSERT_EQ(0, st.nr_processes);
		ASSERT_EQ(0, st.streams);
	}
	TH_LOG("%d of about %d allocations failed one by one", failed, n);
	ASSERT_GT(MAX_ALLOCATIONS, n);
	EXPECT_LT(5, failed);
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, session_status(self->fd, &st));
	EXPECT_EQ(MEMPROF_STATE_RUNNING, st.state);
	EXPECT_EQ(1, st.nr_processes);
	EXPECT_EQ(0, session_snapshot(self->fd, 0));
}

TEST_F_TIMEOUT(failslab, a_snapshot_that_fails_keeps_the_one_before,
	       TEST_TIMEOUT)
{
	int n, err, hit, failed = 0;

	ASSERT_EQ(0, start(self->fd, 0));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	for (n = 1; n < MAX_ALLOCATIONS; n++) {
		ASSERT_EQ(0, arm(self->nth, n));
		err = session_snapshot(self->fd, n % 2);
		hit = disarm(self->nth);
		ASSERT_GE(hit, 0);
		if (!hit)
			break;
		if (!err)
			continue;
		failed++;
		ASSERT_EQ(-ENOMEM, err);
		ASSERT_EQ(1, session_nr_rows(self->fd, MEMPROF_READ_PROCESSES));
	}
	TH_LOG("%d allocations failed one by one", failed);
	EXPECT_LT(2, failed);
	EXPECT_EQ(0, session_stop(self->fd));
}

TEST_HARNESS_MAIN
