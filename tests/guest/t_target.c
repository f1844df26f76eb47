// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets: which processes are counted, which are not, and where they are
 * counted.
 */
#include "session.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 180
#define MIB (1 << 20)
#define CGROUP "/sys/fs/cgroup/t_target"

/* A child that maps and touches 1 MiB each time it is told to. */
struct worker {
	pid_t pid;
	int tell, done;
};

static void grow(void)
{
	char *m = mmap(NULL, MIB, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m == MAP_FAILED)
		_exit(1);
	madvise(m, MIB, MADV_NOHUGEPAGE);
	memset(m, 1, MIB);
}

static void work(int told, int done)
{
	char c;

	while (read(told, &c, 1) == 1) {
		if (c == 'f') {			/* a child of it does the work */
			pid_t pid = fork();

			if (!pid) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				grow();
				pause();
			}
			if (write(done, &pid, sizeof(pid)) < 0)
				_exit(1);
			continue;
		}
		grow();
		if (write(done, &c, 1) < 0)
			_exit(1);
	}
	_exit(0);
}

static int worker_start(struct worker *w)
{
	int tell[2], done[2];

	if (pipe2(tell, O_CLOEXEC) || pipe2(done, O_CLOEXEC))
		return -1;
	w->pid = fork();
	if (!w->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(tell[1]);
		close(done[0]);
		work(tell[0], done[1]);
	}
	close(tell[0]);
	close(done[1]);
	w->tell = tell[1];
	w->done = done[0];
	return w->pid < 0 ? -1 : 0;
}

static int worker_grow(struct worker *w)
{
	char c = 'g';

	return write(w->tell, &c, 1) == 1 && read(w->done, &c, 1) == 1 ? 0 : -1;
}

static pid_t worker_fork(struct worker *w)
{
	char c = 'f';
	pid_t pid;

	if (write(w->tell, &c, 1) != 1 ||
	    read(w->done, &pid, sizeof(pid)) != sizeof(pid))
		return -1;
	/* the child has grown before it pauses */
	return session_pauses(pid) ? pid : -1;
}

static void worker_end(struct worker *w)
{
	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
	close(w->tell);
	close(w->done);
}

static uint64_t cgroup_make(const char *dir)
{
	struct stat st;

	if ((mkdir(dir, 0755) && errno != EEXIST) || stat(dir, &st))
		return 0;
	return st.st_ino;
}

FIXTURE(target) {
	int fd;
	struct worker a, b;
};

FIXTURE_SETUP(target)
{
	self->fd = session_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, worker_start(&self->a));
	ASSERT_EQ(0, worker_start(&self->b));
}

FIXTURE_TEARDOWN(target)
{
	worker_end(&self->a);
	worker_end(&self->b);
	close(self->fd);
	rmdir(CGROUP "/below");
	rmdir(CGROUP);
}

/* Returns true if exactly n MiB of growth were counted for this process. */
static int seen(int fd, pid_t pid, long mib)
{
	struct memprof_process p;

	if (session_look(fd, pid, &p))
		return 0;
	return p.tally.mmap_up_bytes == (uint64_t)mib * MIB &&
	       p.tally.minor_faults >= (uint64_t)mib * 256;
}

static int absent(int fd, pid_t pid)
{
	struct memprof_process p;

	return session_look(fd, pid, &p) == -ENOENT;
}

TEST_F_TIMEOUT(target, other_processes_are_not_seen, TEST_TIMEOUT)
{
	ASSERT_EQ(0, session_target_pid(self->fd, self->a.pid, 0));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	ASSERT_EQ(0, worker_grow(&self->a));
	ASSERT_EQ(0, worker_grow(&self->b));
	EXPECT_TRUE(seen(self->fd, self->a.pid, 1));
	EXPECT_TRUE(absent(self->fd, self->b.pid));
	EXPECT_TRUE(absent(self->fd, getpid()));
	EXPECT_EQ(1, session_nr_rows(self->fd, MEMPROF_READ_PROCESSES));
	EXPECT_LT(0, session_counter(self->fd, "fault_not_target"));
}

TEST_F_TIMEOUT(target, everything_is_every_process, TEST_TIMEOUT)
{
	struct memprof_process p;

	ASSERT_EQ(0, session_target_all(self->fd));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	/* living processes that do nothing have their sizes */
	ASSERT_EQ(0, session_look(self->fd, self->a.pid, &p));
	EXPECT_LT(0, p.resident.anon_bytes + p.resident.file_bytes);
	EXPECT_EQ(0, p.tally.mmap_up_bytes);
	EXPECT_STREQ("t_target", p.comm);
	ASSERT_EQ(0, worker_grow(&self->a));
	ASSERT_EQ(0, worker_grow(&self->b));
	ASSERT_EQ(0, worker_grow(&self->b));
	EXPECT_TRUE(seen(self->fd, self->a.pid, 1));
	EXPECT_TRUE(seen(self->fd, self->b.pid, 2));
	EXPECT_EQ(0, session_counter(self->fd, "fault_not_target"));
}

TEST_F_TIMEOUT(target, children_are_targets_when_asked_for, TEST_TIMEOUT)
{
	pid_t before = worker_fork(&self->a), after;

	ASSERT_LT(0, before);
	ASSERT_EQ(0, session_target_pid(self->fd, self->a.pid,
					MEMPROF_TARGET_CHILDREN));
	ASSERT_EQ(0, session_target_pid(self->fd, self->b.pid, 0));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	after = worker_fork(&self->a);
	ASSERT_LT(0, after);
	EXPECT_TRUE(seen(self->fd, after, 1));
	EXPECT_TRUE(seen(self->fd, before, 0));
	after = worker_fork(&self->b);
	ASSERT_LT(0, after);
	EXPECT_TRUE(absent(self->fd, after));
}

TEST_F_TIMEOUT(target, everybody_descends_from_the_first_process, TEST_TIMEOUT)
{
	ASSERT_EQ(0, session_target_pid(self->fd, 1, MEMPROF_TARGET_CHILDREN));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	ASSERT_EQ(0, worker_grow(&self->a));
	EXPECT_TRUE(seen(self->fd, self->a.pid, 1));
}

TEST_F_TIMEOUT(target, a_zombie_is_no_process, TEST_TIMEOUT)
{
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(-ESRCH, session_target_pid(self->fd, pid, 0));
	waitpid(pid, NULL, 0);
}

TEST_F_TIMEOUT(target, a_vfork_child_grows_the_target_that_it_borrows,
	       TEST_TIMEOUT)
{
	struct memprof_process p;
	pid_t pid;

	ASSERT_EQ(0, session_target_pid(self->fd, getpid(), 0));
	ASSERT_EQ(0, session_start(self->fd, 0, 0, 1));
	pid = vfork();
	if (!pid) {
		mmap(NULL, 5 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(5 * MIB, p.tally.mmap_up_bytes);
}

TEST_F_TIMEOUT(target, comm_is_the_name_at_the_time, TEST_TIMEOUT)
{
	struct memprof_process p;
	char name[16];

	ASSERT_EQ(0, prctl(PR_GET_NAME, name));
	ASSERT_EQ(0, session_target_comm(self->fd, "somebody"));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	grow();
	EXPECT_TRUE(absent(self->fd, getpid()));
	ASSERT_EQ(0, prctl(PR_SET_NAME, "somebody"));
	grow();
	EXPECT_TRUE(seen(self->fd, getpid(), 1));
	ASSERT_EQ(0, prctl(PR_SET_NAME, name));
	grow();
	/* the row keeps its numbers, and shows that the process is no target any more */
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_process(self->fd, getpid(), MEMPROF_PROCESS_LEFT,
				     &p));
	EXPECT_EQ(MIB, p.tally.mmap_up_bytes);
}

TEST_F_TIMEOUT(target, cgroup_means_it_and_those_below, TEST_TIMEOUT)
{
	uint64_t top = cgroup_make(CGROUP), below;
	struct memprof_cgroup g;

	ASSERT_NE(0, top);
	below = cgroup_make(CGROUP "/below");
	ASSERT_NE(0, below);
	ASSERT_EQ(0, session_target_cgroup(self->fd, top));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	ASSERT_EQ(0, worker_grow(&self->a));
	EXPECT_TRUE(absent(self->fd, self->a.pid));

	ASSERT_EQ(0, session_move(CGROUP, self->a.pid));
	ASSERT_EQ(0, session_move(CGROUP "/below", self->b.pid));
	ASSERT_EQ(0, worker_grow(&self->a));
	ASSERT_EQ(0, worker_grow(&self->b));
	ASSERT_EQ(0, worker_grow(&self->b));
	EXPECT_TRUE(seen(self->fd, self->a.pid, 1));
	EXPECT_TRUE(seen(self->fd, self->b.pid, 2));

	/* each cgroup has its own numbers */
	ASSERT_EQ(0, session_cgroup(self->fd, top, &g));
	EXPECT_STREQ("/t_target", g.path);
	EXPECT_EQ(MIB, g.tally.mmap_up_bytes);
	EXPECT_EQ(1, g.nr_processes);
	EXPECT_LE(2 * MIB, g.resident.anon_bytes);
	ASSERT_EQ(0, session_cgroup(self->fd, below, &g));
	EXPECT_STREQ("/t_target/below", g.path);
	EXPECT_EQ(2 * MIB, g.tally.mmap_up_bytes);
	EXPECT_LE(512, g.tally.minor_faults);

	/* numbers of the old cgroup stay there when the process moves */
	ASSERT_EQ(0, session_move(CGROUP, self->b.pid));
	ASSERT_EQ(0, worker_grow(&self->b));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_cgroup(self->fd, top, &g));
	EXPECT_EQ(2 * MIB, g.tally.mmap_up_bytes);
	EXPECT_EQ(2, g.nr_processes);
	ASSERT_EQ(0, session_cgroup(self->fd, below, &g));
	EXPECT_EQ(2 * MIB, g.tally.mmap_up_bytes);
	EXPECT_EQ(0, g.nr_processes);
}

TEST_F_TIMEOUT(target, a_removed_cgroup_keeps_its_row_and_path, TEST_TIMEOUT)
{
	uint64_t id = cgroup_make(CGROUP);
	struct memprof_cgroup g;

	ASSERT_NE(0, id);
	ASSERT_EQ(0, session_target_all(self->fd));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	ASSERT_EQ(0, session_move(CGROUP, self->a.pid));
	ASSERT_EQ(0, worker_grow(&self->a));
	kill(self->a.pid, SIGKILL);
	waitpid(self->a.pid, NULL, 0);
	ASSERT_EQ(0, rmdir(CGROUP));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_cgroup(self->fd, id, &g));
	EXPECT_STREQ("/t_target", g.path);
	EXPECT_EQ(MIB, g.tally.mmap_up_bytes);
}

TEST_F_TIMEOUT(target, a_full_cgroup_table_charges_its_overflow_row,
	       TEST_TIMEOUT)
{
	struct memprof_start a = {
		.size = sizeof(a), .flags = MEMPROF_START_GROWTH,
		.max_cgroups = 1,
	};
	struct memprof_cgroup g;

	ASSERT_NE(0, cgroup_make(CGROUP));
	ASSERT_EQ(0, session_target_all(self->fd));
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_START, &a));
	ASSERT_EQ(0, session_move(CGROUP, self->a.pid));
	ASSERT_EQ(0, worker_grow(&self->a));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_cgroup(self->fd, 0, &g));
	EXPECT_EQ(MEMPROF_CGROUP_OVERFLOW, g.flags);
	EXPECT_EQ(MIB, g.tally.mmap_up_bytes);
	EXPECT_EQ(1, g.nr_processes);
	EXPECT_LT(0, session_counter(self->fd, "cgroup_table_full"));
}

/* A machine that creates and removes cgroups for ever, such as a CI host. */
TEST_F_TIMEOUT(target, rows_of_removed_cgroups_are_used_again, TEST_TIMEOUT)
{
	struct memprof_start a = {
		.size = sizeof(a), .flags = MEMPROF_START_GROWTH,
		.max_cgroups = 3,
	};
	struct memprof_cgroup g;
	uint64_t id = 0;
	int i, k;

	ASSERT_EQ(0, session_target_all(self->fd));
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_START, &a));
	for (i = 0; i < 6; i++) {
		id = cgroup_make(CGROUP);
		ASSERT_NE(0, id);
		ASSERT_EQ(0, session_move(CGROUP, self->a.pid));
		/* repeat until a row is free again */
		for (k = 0; k < 200; k++) {
			ASSERT_EQ(0, worker_grow(&self->a));
			ASSERT_EQ(0, session_snapshot(self->fd, 0));
			if (!session_cgroup(self->fd, id, &g))
				break;
			usleep(50000);
		}
		EXPECT_EQ(0, session_cgroup(self->fd, id, &g));
		if (i < 5) {
			ASSERT_EQ(0, session_move("/sys/fs/cgroup", self->a.pid));
			ASSERT_EQ(0, rmdir(CGROUP));
		}
	}
	EXPECT_LT(0, session_counter(self->fd, "cgroup_folded"));
}

/* Programs that run one after another never need more than one of them does. */
TEST_F_TIMEOUT(target, growth_of_a_cgroup_falls_at_exit, TEST_TIMEOUT)
{
	uint64_t id = cgroup_make(CGROUP);
	struct memprof_cgroup g;
	pid_t pid;
	int i;

	ASSERT_NE(0, id);
	ASSERT_EQ(0, session_target_cgroup(self->fd, id));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	for (i = 0; i < 5; i++) {
		pid = fork();
		if (!pid) {
			session_move(CGROUP, getpid());
			_exit(mmap(NULL, 8 * MIB, PROT_READ, MAP_PRIVATE |
				   MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
		}
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_cgroup(self->fd, id, &g));
	EXPECT_EQ(40 * MIB, g.tally.mmap_up_bytes);
	EXPECT_EQ(40 * MIB, g.tally.mmap_down_bytes);
	EXPECT_EQ(8 * MIB, g.tally.growth_peak_bytes);
}

/* The growth of a process in a cgroup is subtracted when the process exits. */
TEST_F_TIMEOUT(target, growth_leaves_with_its_process, TEST_TIMEOUT)
{
	struct memprof_cgroup root, g;
	uint64_t id = cgroup_make(CGROUP);
	int status;

	ASSERT_NE(0, id);
	ASSERT_EQ(0, session_target_pid(self->fd, self->a.pid, 0));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	ASSERT_EQ(0, worker_grow(&self->a));
	ASSERT_EQ(0, session_move(CGROUP, self->a.pid));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_cgroup(self->fd, id, &g));
	EXPECT_EQ(0, g.tally.mmap_up_bytes);
	ASSERT_EQ(0, session_cgroup(self->fd, 1, &root));
	EXPECT_EQ(MIB, root.tally.mmap_up_bytes);
	EXPECT_EQ(MIB, root.tally.mmap_down_bytes);
	/* at its exit, its growth in this cgroup is subtracted */
	ASSERT_EQ(0, worker_grow(&self->a));
	ASSERT_EQ(0, worker_grow(&self->a));
	kill(self->a.pid, SIGKILL);
	ASSERT_EQ(self->a.pid, waitpid(self->a.pid, &status, 0));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_cgroup(self->fd, id, &g));
	EXPECT_EQ(2 * MIB, g.tally.mmap_up_bytes);
	EXPECT_EQ(2 * MIB, g.tally.mmap_down_bytes);
	EXPECT_EQ(2 * MIB, g.tally.growth_peak_bytes);
}

/* A service manager removes and creates a service's cgroup at each restart. */
TEST_F_TIMEOUT(target, a_cgroup_that_is_made_anew_stays_a_target, TEST_TIMEOUT)
{
	uint64_t id = cgroup_make(CGROUP), again;
	struct memprof_process p;
	struct memprof_cgroup g;
	int i;

	ASSERT_NE(0, id);
	ASSERT_EQ(0, session_target_cgroup(self->fd, id));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, rmdir(CGROUP));
		again = cgroup_make(CGROUP);
		ASSERT_NE(0, again);
		EXPECT_NE(id, again);
	}
	ASSERT_EQ(0, session_move(CGROUP, self->a.pid));
	ASSERT_EQ(0, worker_grow(&self->a));
	ASSERT_EQ(0, session_look(self->fd, self->a.pid, &p));
	EXPECT_EQ(again, p.cgroup);
	ASSERT_EQ(0, session_cgroup(self->fd, again, &g));
	EXPECT_EQ(MIB, g.tally.mmap_up_bytes);
	EXPECT_EQ(1, g.nr_processes);
}

/* A process that leaves a target cgroup does not count in the cgroup's sums any more. */
TEST_F_TIMEOUT(target, who_leaves_says_so, TEST_TIMEOUT)
{
	uint64_t id = cgroup_make(CGROUP);
	struct memprof_process p;
	struct memprof_cgroup g;

	ASSERT_NE(0, id);
	ASSERT_EQ(0, session_target_cgroup(self->fd, id));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	ASSERT_EQ(0, session_move(CGROUP, self->a.pid));
	ASSERT_EQ(0, worker_grow(&self->a));
	ASSERT_EQ(0, session_move("/sys/fs/cgroup", self->a.pid));
	ASSERT_EQ(0, worker_grow(&self->a));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_process(self->fd, self->a.pid, MEMPROF_PROCESS_LEFT,
				     &p));
	EXPECT_EQ(MIB, p.tally.mmap_up_bytes);
	ASSERT_EQ(0, session_cgroup(self->fd, id, &g));
	EXPECT_EQ(0, g.nr_processes);
	EXPECT_EQ(0, g.resident.anon_bytes);
}

TEST_HARNESS_MAIN
