// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: several at once, and the exit of their owner.
 */
#include "session.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 240
#define KIB 1024

static void map_and_unmap(long size)
{
	void *m = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(m, size);
}

static int sessions_running(int fd)
{
	struct memprof_info info = { .size = sizeof(info) };
	int err = session_ioctl(fd, MEMPROF_IOC_INFO, &info);

	return err ? err : (int)info.nr_sessions;
}

FIXTURE(sessions) {
};

FIXTURE_SETUP(sessions)
{
}

FIXTURE_TEARDOWN(sessions)
{
}

TEST_F_TIMEOUT(sessions, two_sessions_do_not_see_each_other, TEST_TIMEOUT)
{
	struct memprof_process p;
	int a = session_open(), b = session_open();
	struct memprof_status sa, sb;
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	ASSERT_GE(a, 0);
	ASSERT_GE(b, 0);
	ASSERT_EQ(0, session_target_pid(a, getpid(), 0));
	ASSERT_EQ(0, session_target_pid(b, getpid(), 0));
	ASSERT_EQ(0, session_target_pid(b, pid, 0));
	ASSERT_EQ(0, session_start(a, 1, 1, 1));
	map_and_unmap(64 * KIB);
	ASSERT_EQ(0, session_start(b, 100, 1, 1));
	ASSERT_EQ(0, session_status(a, &sa));
	ASSERT_EQ(0, session_status(b, &sb));
	EXPECT_NE(sa.session, sb.session);
	EXPECT_EQ(2, sessions_running(a));
	map_and_unmap(16 * KIB);

	ASSERT_EQ(0, session_look(a, getpid(), &p));
	EXPECT_EQ(80 * KIB, p.tally.mmap_up_bytes);
	EXPECT_EQ(1, session_nr_rows(a, MEMPROF_READ_PROCESSES));
	ASSERT_EQ(0, session_look(b, getpid(), &p));
	EXPECT_EQ(16 * KIB, p.tally.mmap_up_bytes);
	EXPECT_EQ(2, session_nr_rows(b, MEMPROF_READ_PROCESSES));

	ASSERT_EQ(0, session_stop(a));
	map_and_unmap(32 * KIB);
	ASSERT_EQ(0, session_look(b, getpid(), &p));
	EXPECT_EQ(48 * KIB, p.tally.mmap_up_bytes);
	ASSERT_EQ(0, session_look(a, getpid(), &p));
	EXPECT_EQ(80 * KIB, p.tally.mmap_up_bytes);
	EXPECT_EQ(1, sessions_running(a));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(a);
	close(b);
}

TEST_F_TIMEOUT(sessions, so_many_sessions_run_and_no_more, TEST_TIMEOUT)
{
	int fd[MEMPROF_MAX_SESSIONS + 1], i;

	for (i = 0; i <= MEMPROF_MAX_SESSIONS; i++) {
		fd[i] = session_open();
		ASSERT_GE(fd[i], 0);
		ASSERT_EQ(0, session_target_all(fd[i]));
		ASSERT_EQ(i < MEMPROF_MAX_SESSIONS ? 0 : -EUSERS,
			  session_start(fd[i], 100, 1, 1));
	}
	/* the refused session is still idle, and can start when there is room */
	close(fd[3]);
	EXPECT_EQ(0, session_start(fd[MEMPROF_MAX_SESSIONS], 100, 1, 1));
	for (i = 0; i <= MEMPROF_MAX_SESSIONS; i++)
		if (i != 3)
			close(fd[i]);
}

TEST_F_TIMEOUT(sessions, killing_the_owner_ends_the_session, TEST_TIMEOUT)
{
	int fd = session_open(), ready[2], round;
	char c;

	ASSERT_GE(fd, 0);
	for (round = 0; round < 5; round++) {
		pid_t pid;

		ASSERT_EQ(0, pipe(ready));
		pid = fork();
		if (!pid) {
			int s = session_open();

			if (session_target_all(s) ||
			    session_start(s, 1, 1, 1) ||
			    write(ready[1], "r", 1) != 1)
				_exit(1);
			for (;;)
				map_and_unmap(64 * KIB);
		}
		ASSERT_EQ(1, read(ready[0], &c, 1));
		EXPECT_EQ(1, sessions_running(fd));
		usleep(100000);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		EXPECT_EQ(0, sessions_running(fd));
		close(ready[0]);
		close(ready[1]);
	}
	close(fd);
}

static volatile int stop;

static void *load(void *arg)
{
	while (!stop)
		map_and_unmap(64 * KIB);
	return NULL;
}

static void *stop_it(void *arg)
{
	return (void *)(long)session_stop(*(int *)arg);
}

TEST_F_TIMEOUT(sessions, ioctls_at_once_on_one_session_take_turns, TEST_TIMEOUT)
{
	int fd = session_open(), i;
	pthread_t l[2], s[4];
	long ok = 0, busy = 0;
	void *err;

	ASSERT_EQ(0, session_target_all(fd));
	ASSERT_EQ(0, session_start(fd, 1, 1, 1));
	for (i = 0; i < 2; i++)
		pthread_create(&l[i], NULL, load, NULL);
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, session_snapshot(fd, i % 2));
	for (i = 0; i < 4; i++)
		pthread_create(&s[i], NULL, stop_it, &fd);
	for (i = 0; i < 4; i++) {
		pthread_join(s[i], &err);
		ok += (long)err == 0;
		busy += (long)err == -EBUSY;
	}
	stop = 1;
	for (i = 0; i < 2; i++)
		pthread_join(l[i], NULL);
	EXPECT_EQ(1, ok);
	EXPECT_EQ(3, busy);
	close(fd);
}

TEST_F_TIMEOUT(sessions, sessions_come_and_go_under_load, TEST_TIMEOUT)
{
	struct memprof_status st;
	int i, fd;
	pthread_t l[2];

	for (i = 0; i < 2; i++)
		pthread_create(&l[i], NULL, load, NULL);
	for (i = 0; i < 30; i++) {
		fd = session_open();
		ASSERT_EQ(0, session_target_all(fd));
		ASSERT_EQ(0, session_start(fd, 1, 1, 1));
		ASSERT_EQ(0, session_status(fd, &st));
		EXPECT_EQ(0, st.flags);
		close(fd);
	}
	stop = 1;
	for (i = 0; i < 2; i++)
		pthread_join(l[i], NULL);
}

TEST_HARNESS_MAIN
