// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes are targets, and how new binaries are noticed. Needs no
 * module: the session is a file that no ioctl knows.
 */
#include "exec-maps.h"
#include "follower.h"
#include "prober.h"

#include "kselftest_harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

FIXTURE(prober)
{
	struct mp_prober prober;
	int device;
};

FIXTURE_SETUP(prober)
{
	self->prober = (struct mp_prober){ 0 };
	self->device = open("/dev/null", O_RDWR | O_CLOEXEC);
}

FIXTURE_TEARDOWN(prober)
{
	mp_finder_free(&self->prober.finder);
	close(self->device);
}

/* Opens the prober with one target. */
static void watch(FIXTURE_DATA(prober) *self, uint32_t kind, const char *text,
		  uint64_t number, bool children)
{
	struct mp_targets targets = {
		.list = { { .kind = kind, .text = text, .number = number } },
		.nr = 1,
		.children = children,
	};

	mp_prober_open(&self->prober, self->device, &targets);
}

/* A child that waits, and a child of its own. */
static pid_t fork_family(pid_t *grandchild)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		abort();
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pid = fork();
		if (!pid)
			pause();
		prctl(PR_SET_NAME, "family");
		if (write(ends[1], &pid, sizeof(pid)) != sizeof(pid))
			abort();
		pause();
	}
	if (read(ends[0], grandchild, sizeof(*grandchild)) !=
	    sizeof(*grandchild))
		abort();
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void end_family(pid_t child, pid_t grandchild)
{
	kill(grandchild, SIGKILL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

TEST_F(prober, descendants_are_targets_if_asked)
{
	pid_t grandchild, child = fork_family(&grandchild);

	watch(self, MEMPROF_TARGET_PROCESS, "", child, true);
	EXPECT_TRUE(mp_prober_wants(&self->prober, child));
	EXPECT_TRUE(mp_prober_wants(&self->prober, grandchild));
	EXPECT_FALSE(mp_prober_wants(&self->prober, getpid()));
	EXPECT_FALSE(mp_prober_wants(&self->prober, 1));
	self->prober.filters[0].children = false;
	EXPECT_TRUE(mp_prober_wants(&self->prober, child));
	EXPECT_FALSE(mp_prober_wants(&self->prober, grandchild));
	end_family(child, grandchild);
	EXPECT_FALSE(mp_prober_wants(&self->prober, 1 << 29));
}

TEST_F(prober, commands_are_targets_by_name)
{
	pid_t grandchild, child = fork_family(&grandchild);

	watch(self, MEMPROF_TARGET_COMM, "family", 0, false);
	EXPECT_TRUE(mp_prober_wants(&self->prober, child));
	EXPECT_FALSE(mp_prober_wants(&self->prober, getpid()));
	end_family(child, grandchild);
}

TEST_F(prober, refused_probes_are_an_error_that_says_why)
{
	/* /dev/null takes no probes: the message itself goes to the log */
	watch(self, MEMPROF_TARGET_PROCESS, "", getpid(), false);
	EXPECT_NE(0, mp_prober_begin(&self->prober));
	EXPECT_EQ(0, self->prober.nr_probes);
	EXPECT_LT(0, self->prober.nr_failed);
	EXPECT_EQ(-ENOTTY, self->prober.err);
	EXPECT_NE('\0', self->prober.refused[0]);
}

static void take_map(void *context, const struct mp_exec_map *map)
{
	pid_t *wanted = context;

	if (map->pid == *wanted && map->inode)
		*wanted = 0;
}

static pid_t run_true(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	return pid;
}

TEST(executable_mappings_are_announced)
{
	struct mp_exec_maps maps;
	struct pollfd wait;
	int err = mp_exec_maps_open(&maps);
	pid_t pid;

	if (err)
		SKIP(return, "perf_event_open is refused: %s", strerror(-err));
	pid = run_true();
	wait = (struct pollfd){ .fd = maps.poll_fd, .events = POLLIN };
	EXPECT_EQ(1, poll(&wait, 1, 5000));
	mp_exec_maps_drain(&maps, take_map, &pid);
	EXPECT_EQ(0, pid);
	mp_exec_maps_close(&maps);
}

TEST(many_mappings_wrap_around_the_ring)
{
	struct mp_exec_maps maps;
	int i, err = mp_exec_maps_open(&maps);
	pid_t pid = 0;

	if (err)
		SKIP(return, "perf_event_open is refused: %s", strerror(-err));
	for (i = 0; i < 400 && !pid; i++) {
		pid = run_true();
		mp_exec_maps_drain(&maps, take_map, &pid);
	}
	EXPECT_EQ(400, i);
	EXPECT_EQ(0, pid);
	mp_exec_maps_close(&maps);
}

TEST_F(prober, binaries_of_new_targets_are_examined)
{
	struct mp_follower follower;
	struct pollfd wait = { .events = POLLIN };
	size_t before;
	pid_t pid;
	int i;

	watch(self, MEMPROF_TARGET_COMM, "sleep", 0, false);
	mp_follower_open(&follower, &self->prober);
	ASSERT_LE(0, follower.fd);
	before = self->prober.finder.seen.nr;
	pid = fork();
	if (!pid) {
		execlp("sleep", "sleep", "30", NULL);
		_exit(1);
	}
	wait.fd = follower.fd;
	for (i = 0; i < 100 && self->prober.finder.seen.nr == before; i++)
		if (poll(&wait, 1, 100) > 0)
			mp_follower_work(&follower);
	EXPECT_LT(before, self->prober.finder.seen.nr);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	mp_follower_close(&follower);
}

TEST_HARNESS_MAIN
