// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of compiled code that a program writes to /tmp/perf-PID.map.
 */
#include "perf-map.h"
#include "symbolising.h"

#include "kselftest_harness.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

TEST_F(symbols, jit_names_come_from_perf_maps)
{
	struct mp_spot spots[] = {
		{ .offset = 0x1010 }, { .offset = 0x7f0000000040 },
		{ .offset = 0x1100 }, { .offset = 0x1101 }, { .offset = 0x500 },
	};
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_file(path, "junk\n\n1000 100 LazyCompile:~old a.js:1\n"
		   "-1 10 minus\nzz 10 no\n2000 0 empty\n"
		   "ffffffffffffffff ffffffffffffffff wraps\n"
		   "7f0000000000 100 py::f\033[2J:/x y.py\n"
		   "1000 100 LazyCompile:*fib a.js:7");
	EXPECT_EQ(0, mp_symbolise_jit(getpid(), spots, 5, &self->symbols));
	/* sorted */
	EXPECT_EQ(0x500, spots[0].offset);
	EXPECT_EQ(0, spots[0].nr);
	ASSERT_EQ(1, spots[1].nr);
	EXPECT_STREQ("LazyCompile:*fib a.js:7",
		     mp_symbols_text(&self->symbols, self->symbols.lines[
				     spots[1].first].function));
	EXPECT_EQ(0x10, self->symbols.lines[spots[1].first].distance);
	/* a call at its very end returns behind it */
	EXPECT_EQ(1, spots[2].nr);
	EXPECT_EQ(0, spots[3].nr);
	ASSERT_EQ(1, spots[4].nr);
	EXPECT_STREQ("py::f\\x1b[2J:/x y.py",
		     mp_symbols_text(&self->symbols, self->symbols.lines[
				     spots[4].first].function));
	ASSERT_EQ(0, unlink(path));
	/* not what anyone else left there */
	ASSERT_EQ(0, symlink("/etc/passwd", path));
	EXPECT_GT(0, mp_symbolise_jit(getpid(), spots, 5, &self->symbols));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, mkfifo(path, 0600));
	EXPECT_EQ(-EINVAL,
		  mp_symbolise_jit(getpid(), spots, 5, &self->symbols));
	ASSERT_EQ(0, unlink(path));
	write_file(path, "1000 100 f\n");
	if (!geteuid()) {
		ASSERT_EQ(0, chown(path, 12345, 12345));
		EXPECT_EQ(-EPERM, mp_symbolise_jit(getpid(), spots, 5,
						   &self->symbols));
	}
	ASSERT_EQ(0, unlink(path));
}

/* As the first process of a container, with a /tmp of its own. */
static void contain(int to)
{
	bool done = !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		    !mount("none", "/tmp", "tmpfs", 0, NULL);

	if (done)
		write_file("/tmp/perf-1.map", "1000 100 inside\n");
	if (write(to, done ? "y" : "n", 1) == 1)
		pause();
}

TEST_F(symbols, jit_names_come_from_containers)
{
	struct mp_spot spot = { .offset = 0x1010 };
	char done = 'n';
	int ends[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(ends));
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, 0,
			     0, 0, 0);
	if (!pid) {
		contain(ends[1]);
		_exit(1);
	}
	if (pid < 0)
		SKIP(return, "needs root");
	close(ends[1]);
	if (read(ends[0], &done, 1) == 1 && done == 'y') {
		EXPECT_EQ(0, mp_symbolise_jit(pid, &spot, 1, &self->symbols));
		ASSERT_EQ(1, spot.nr);
		EXPECT_STREQ("inside",
			     mp_symbols_text(&self->symbols,
					     self->symbols.lines[0].function));
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (done != 'y')
		SKIP(return, "mounting is not allowed");
}

TEST_HARNESS_MAIN
