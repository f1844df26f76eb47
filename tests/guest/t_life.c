// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fork, exec, exit, reuse of rows, and tables that are too small.
 */
#include "session.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 240
#define MIB (1 << 20)

FIXTURE(life) {
	int fd;
};

FIXTURE_SETUP(life)
{
	self->fd = session_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, session_target_pid(self->fd, getpid(),
					MEMPROF_TARGET_CHILDREN));
}

FIXTURE_TEARDOWN(life)
{
	close(self->fd);
}

static int start_small(int fd, uint32_t max_processes)
{
	struct memprof_start a = {
		.size = sizeof(a), .flags = MEMPROF_START_GROWTH,
		.max_processes = max_processes,
	};

	return session_ioctl(fd, MEMPROF_IOC_START, &a);
}

/* Forks a child that maps and touches @mib MiB, and then exits or waits. */
static pid_t child(long mib, int wait)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (mib) {
		char *m = mmap(NULL, mib * MIB, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (m == MAP_FAILED)
			_exit(1);
		memset(m, 1, mib * MIB);
	}
	if (wait)
		pause();
	_exit(0);
}

TEST_F_TIMEOUT(life, an_exited_process_keeps_its_row_and_last_sizes,
	       TEST_TIMEOUT)
{
	struct memprof_process p;
	pid_t pid;

	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	pid = child(3, 0);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_process(self->fd, pid, MEMPROF_PROCESS_EXITED,
				     &p));
	EXPECT_EQ(3 * MIB, p.tally.mmap_up_bytes);
	EXPECT_EQ(3 * MIB, p.tally.growth_peak_bytes);
	EXPECT_LE(3 * MIB, p.resident.anon_bytes);
	EXPECT_GE(8 * MIB, p.resident.anon_bytes);
	EXPECT_LE(3 * MIB, p.peak_rss_bytes);
	EXPECT_LT(0, p.exit_ns);
	EXPECT_STREQ("t_life", p.comm);
	/* after a reset the row of the exited process is released */
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(-ENOENT, session_process(self->fd, pid,
					   MEMPROF_PROCESS_EXITED, &p));
}

TEST_F_TIMEOUT(life, exec_closes_one_row_and_opens_another, TEST_TIMEOUT)
{
	struct memprof_process old, new;
	int go[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	pid = fork();
	if (!pid) {
		mmap(NULL, MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		dup2(go[1], 1);
		/* enough faults that no thread's cached page counts matter */
		execl("/bin/sh", "sh", "-c", "x=12345678; for i in 1 2 3 4 5 6 7 "
		      "8 9 10 11 12 13 14 15 16; do x=$x$x; done; "
		      "echo; kill -STOP $$", NULL);
		_exit(1);
	}
	ASSERT_EQ(1, read(go[0], &c, 1));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_process(self->fd, pid, MEMPROF_PROCESS_EXITED,
				     &old));
	EXPECT_STREQ("t_life", old.comm);
	EXPECT_EQ(MIB, old.tally.mmap_up_bytes);
	ASSERT_EQ(0, session_process(self->fd, pid, 0, &new));
	EXPECT_STREQ("sh", new.comm);
	EXPECT_EQ(old.start_ns, new.start_ns);
	/* exec and ld.so have mapped the program and libc */
	EXPECT_LT(MIB, new.tally.mmap_up_bytes);
	EXPECT_LT(10, new.tally.minor_faults);
	EXPECT_LT(0, new.resident.file_bytes);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_F_TIMEOUT(life, reused_address_spaces_are_not_mixed_up, TEST_TIMEOUT)
{
	enum { N = 200 };
	struct memprof_process p;
	pid_t pids[N];
	int i;

	ASSERT_EQ(0, session_start(self->fd, 0, 0, 1));
	for (i = 0; i < N; i++) {
		pids[i] = child(i % 3, 0);
		ASSERT_LT(0, pids[i]);
		ASSERT_EQ(pids[i], waitpid(pids[i], NULL, 0));
	}
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	for (i = 0; i < N; i++) {
		ASSERT_EQ(0, session_process(self->fd, pids[i],
					     MEMPROF_PROCESS_EXITED, &p));
		EXPECT_EQ(i % 3 * MIB, p.tally.mmap_up_bytes);
		EXPECT_EQ(0, p.tally.mmap_down_bytes);
	}
	EXPECT_EQ(0, session_counter(self->fd, "hook_missed"));
	EXPECT_EQ(0, session_counter(self->fd, "process_table_full"));
}

TEST_F_TIMEOUT(life, a_small_table_folds_the_exited_and_loses_nothing,
	       TEST_TIMEOUT)
{
	enum { N = 50, ROOM = 8 };
	uint64_t sum = 0, folded = 0;
	struct memprof_process p;
	int i;

	ASSERT_EQ(0, start_small(self->fd, ROOM));
	for (i = 0; i < N; i++)
		waitpid(child(1, 0), NULL, 0);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(ROOM + 1, session_nr_rows(self->fd, MEMPROF_READ_PROCESSES));
	for (i = 0; i <= ROOM; i++) {
		struct memprof_read a = {
			.size = sizeof(a), .first = i, .nr = 1,
			.entry_size = sizeof(p), .entries = (uintptr_t)&p,
		};

		ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
		sum += p.tally.mmap_up_bytes;
		if (p.flags == MEMPROF_PROCESS_FOLDED)
			folded = p.tally.mmap_up_bytes;
	}
	EXPECT_EQ((uint64_t)N * MIB, sum);
	EXPECT_EQ((uint64_t)(N - ROOM + 1) * MIB, folded);
	EXPECT_EQ(N - ROOM + 1, session_counter(self->fd, "process_folded"));
}

TEST_F_TIMEOUT(life, a_table_full_of_the_living_charges_its_overflow_row,
	       TEST_TIMEOUT)
{
	enum { N = 6, ROOM = 3 };
	struct memprof_process p;
	struct memprof_status st;
	pid_t pids[N];
	int i;

	ASSERT_EQ(0, start_small(self->fd, ROOM));
	for (i = 0; i < N; i++)
		pids[i] = child(1, 1);
	for (i = 0; i < N; i++)
		ASSERT_TRUE(session_pauses(pids[i]));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_process(self->fd, 0, MEMPROF_PROCESS_OVERFLOW,
				     &p));
	EXPECT_EQ((N - ROOM + 1) * MIB, p.tally.mmap_up_bytes);
	EXPECT_LT(0, session_counter(self->fd, "process_table_full"));
	for (i = 0; i < N; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	/* there is room again, and nothing else has changed */
	pids[0] = child(2, 0);
	waitpid(pids[0], NULL, 0);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_process(self->fd, pids[0],
				     MEMPROF_PROCESS_EXITED, &p));
	EXPECT_EQ(2 * MIB, p.tally.mmap_up_bytes);
	ASSERT_EQ(0, session_status(self->fd, &st));
	EXPECT_EQ(0, st.flags);
}

TEST_F_TIMEOUT(life, a_stopped_session_outlives_its_processes, TEST_TIMEOUT)
{
	enum { N = 50 };
	struct memprof_process p;
	pid_t pids[N];
	int i;

	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	for (i = 0; i < N; i++)
		pids[i] = child(1, 1);
	for (i = 0; i < N; i++)
		ASSERT_TRUE(session_pauses(pids[i]));
	ASSERT_EQ(0, session_stop(self->fd));
	for (i = 0; i < N; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	/* other processes take their rows */
	for (i = 0; i < N; i++)
		waitpid(child(0, 0), NULL, 0);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	for (i = 0; i < N; i++) {
		ASSERT_EQ(0, session_process(self->fd, pids[i], 0, &p));
		EXPECT_STREQ("t_life", p.comm);
		EXPECT_EQ(MIB, p.tally.mmap_up_bytes);
		EXPECT_LE(MIB - 256 * 1024, p.resident.anon_bytes);
	}
}

TEST_F_TIMEOUT(life, without_kprobes_exits_are_found_by_snapshots,
	       TEST_TIMEOUT)
{
	int fd = open("/sys/kernel/debug/kprobes/enabled", O_WRONLY);
	struct memprof_process p;
	pid_t pid;

	if (fd < 0)
		SKIP(return, "kprobes cannot be switched off here");
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	pid = child(1, 1);
	ASSERT_TRUE(session_pauses(pid));
	ASSERT_EQ(1, write(fd, "0", 1));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* the first snapshot sees the task gone, one a second later confirms it */
	EXPECT_EQ(0, session_snapshot(self->fd, 0));
	usleep(1100000);
	EXPECT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(0, session_process(self->fd, pid, MEMPROF_PROCESS_EXITED,
				     &p));
	EXPECT_EQ(MIB, p.tally.mmap_up_bytes);
	ASSERT_EQ(1, write(fd, "1", 1));
	close(fd);
}

/* Waits up to a minute until the main thread has exited; other threads may run. */
static bool has_left(pid_t pid)
{
	char path[64], state;
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (i = 0; i < 3000; i++) {
		state = 0;
		file = fopen(path, "r");
		if (file) {
			if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
				state = 0;
			fclose(file);
		}
		if (state == 'Z')
			return true;
		usleep(20000);
	}
	return false;
}

static void *waiter(void *arg)
{
	pause();
	return NULL;
}

TEST_F_TIMEOUT(life, threads_share_a_row_and_their_exit_does_not_close_it,
	       TEST_TIMEOUT)
{
	struct memprof_process p;
	pid_t pid;
	int i;

	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	pid = fork();
	if (!pid) {
		pthread_t t;

		for (i = 0; i < 3; i++)
			pthread_create(&t, NULL, waiter, NULL);
		/* the main thread exits, the others stay */
		pthread_exit(NULL);
	}
	ASSERT_TRUE(has_left(pid));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(0, session_process(self->fd, pid, 0, &p));
	EXPECT_LT(3 * 8 * MIB, p.tally.mmap_up_bytes);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(0, session_process(self->fd, pid, MEMPROF_PROCESS_EXITED,
				     &p));
}

TEST_HARNESS_MAIN
