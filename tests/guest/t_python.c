// SPDX-License-Identifier: GPL-2.0-only
/*
 * MEMPROF_IOC_PYTHON and memprof:python: an interpreter that this program makes up, sound
 * and hostile.
 */
#include "session.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 120
#define INSTANCE "/sys/kernel/tracing/instances/t_python"

struct frame {
	uint64_t previous, code, instr, mark;
};

struct state {
	uint64_t next, id, self, control;
};

struct world {
	uint64_t interpreters;
	struct {
		uint64_t next, threads;
	} interpreter;
	struct state state;
	struct frame frames[4];
};

static struct world world;

static uint64_t at(const void *what)
{
	return (uint64_t)(uintptr_t)what;
}

/* Three functions, the last one marked. */
static void make_world(void)
{
	int i;

	memset(&world, 0, sizeof(world));
	world.interpreters = at(&world.interpreter);
	world.interpreter.threads = at(&world.state);
	world.state.id = syscall(SYS_gettid);
	world.state.self = (uint64_t)pthread_self();
	world.state.control = at(&world.frames[0]);
	for (i = 0; i < 3; i++)
		world.frames[i] = (struct frame){
			.previous = i < 2 ? at(&world.frames[i + 1]) : 0,
			.code = 0x1000 * (i + 1), .instr = 0x1000 * (i + 1) + 8,
			.mark = i == 2,
		};
}

static void be_another_thread(bool other)
{
	world.state.id += other;
	world.state.self += other;
}

static const struct memprof_python sound = {
	.size = sizeof(sound), .eval_start = 0x400000, .eval_end = 0x401000,
	.interpreter_next = 0, .interpreter_threads = 8,
	.thread_next = 0, .thread_id = 8, .thread_self = 16, .thread_control = 24,
	.frame_size = sizeof(struct frame), .frame_previous = 0, .frame_code = 8,
	.frame_instr = 16, .frame_mark = 24, .mark_value = 1,
};

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC), err;

	if (fd < 0)
		return -errno;
	err = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* How many events of this test have a text; NULL: any. The events are removed. */
static int nr_events(const char *text)
{
	static char buf[1 << 22];
	int fd = open(INSTANCE "/trace", O_RDONLY), nr = 0;
	ssize_t got, len = 0;
	char *found;

	while (len < (ssize_t)sizeof(buf) - 1 &&
	       (got = read(fd, buf + len, sizeof(buf) - 1 - len)) > 0)
		len += got;
	close(fd);
	buf[len] = '\0';
	for (found = buf; text && (found = strstr(found, text)); found++)
		nr++;
	write_file(INSTANCE "/trace", "");
	return nr;
}

/* Grows, and shrinks again: two events. */
static void grow(void)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(page, 4096);
}

FIXTURE(python) {
	int fd;
	struct memprof_python arg;
};

FIXTURE_SETUP(python)
{
	rmdir(INSTANCE);
	ASSERT_EQ(0, mkdir(INSTANCE, 0700));
	ASSERT_EQ(0, write_file(INSTANCE "/events/memprof/growth/enable", "1"));
	ASSERT_EQ(0, write_file(INSTANCE "/events/memprof/python/enable", "1"));
	self->fd = session_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, session_target_pid(self->fd, getpid(), MEMPROF_TARGET_CHILDREN));
	make_world();
	self->arg = sound;
	self->arg.pid = getpid();
	self->arg.runtime = at(&world);
	ASSERT_EQ(0, session_start(self->fd, 0, 0, 1));
	nr_events(NULL);
}

FIXTURE_TEARDOWN(python)
{
	close(self->fd);
	write_file(INSTANCE "/events/memprof/enable", "0");
	rmdir(INSTANCE);
}

TEST_F_TIMEOUT(python, functions_come_before_their_event, TEST_TIMEOUT)
{
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &self->arg));
	grow();
	EXPECT_EQ(2, nr_events("python: key=0x"));
	grow();
	EXPECT_EQ(2, nr_events("nr=3 flags=0"));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(0, session_counter(self->fd, "python_unreadable"));
	EXPECT_EQ(0, session_counter(self->fd, "python_cut"));
}

TEST_F_TIMEOUT(python, a_frame_behind_another_structure, TEST_TIMEOUT)
{
	static uint64_t control[4];

	control[3] = at(&world.frames[1]);
	world.state.control = at(control);
	self->arg.control_frame = 24;
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &self->arg));
	grow();
	EXPECT_EQ(2, nr_events("nr=2 flags=2"));
}

TEST_F_TIMEOUT(python, nothing_is_said_twice, TEST_TIMEOUT)
{
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &self->arg));
	EXPECT_EQ(-EEXIST, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &self->arg));
}

TEST_F_TIMEOUT(python, refuses_what_is_out_of_its_limits, TEST_TIMEOUT)
{
	static const size_t fields[] = {
		offsetof(struct memprof_python, runtime_interpreters),
		offsetof(struct memprof_python, interpreter_next),
		offsetof(struct memprof_python, interpreter_threads),
		offsetof(struct memprof_python, thread_next),
		offsetof(struct memprof_python, thread_id),
		offsetof(struct memprof_python, thread_self),
		offsetof(struct memprof_python, thread_control),
		offsetof(struct memprof_python, control_frame),
		offsetof(struct memprof_python, frame_size),
		offsetof(struct memprof_python, frame_previous),
		offsetof(struct memprof_python, frame_code),
		offsetof(struct memprof_python, frame_instr),
		offsetof(struct memprof_python, frame_mark),
		offsetof(struct memprof_python, mark_value),
	};
	struct memprof_python arg;
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		arg = self->arg;
		*(uint32_t *)((char *)&arg + fields[i]) = UINT32_MAX - 3;
		EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &arg));
	}
	arg = self->arg;
	arg.eval_end = arg.eval_start;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &arg));
	arg = self->arg;
	arg.frame_instr = sizeof(struct frame) - 7;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &arg));
	arg = self->arg;
	arg.pid = 0;
	EXPECT_EQ(-ESRCH, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &arg));
	/* no target */
	arg.pid = 1;
	EXPECT_EQ(-ESRCH, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &arg));
}

TEST_F_TIMEOUT(python, lists_in_a_circle_end, TEST_TIMEOUT)
{
	world.frames[2].previous = at(&world.frames[0]);
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &self->arg));
	grow();
	EXPECT_EQ(2, nr_events("nr=48 flags=1"));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(2, session_counter(self->fd, "python_cut"));
	be_another_thread(true);
	world.state.next = at(&world.state);
	world.interpreter.next = at(&world.interpreter);
	grow();
	EXPECT_EQ(0, nr_events("python: key"));
}

TEST_F_TIMEOUT(python, wild_pointers_do_no_harm, TEST_TIMEOUT)
{
	void *hidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t wild[] = {
		8, 0x1001, 0xffff888000000000, 0xffffffffff600000, 0xffffffff81000000,
		1ULL << 47, 1ULL << 63, UINT64_MAX, UINT64_MAX - 7, at(hidden),
	};
	uint64_t *const pointers[] = {
		&world.frames[0].previous, &world.state.control, &world.state.next,
		&world.interpreter.threads, &world.interpreter.next, &world.interpreters,
	};
	size_t i, j;

	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &self->arg));
	for (i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++)
		for (j = 0; j < sizeof(wild) / sizeof(wild[0]); j++) {
			make_world();
			/* else the following ones are not looked at */
			be_another_thread(i == 2 || i == 4);
			*pointers[i] = wild[j];
			grow();
		}
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	/* of the first pointer, one function is read before it */
	EXPECT_EQ(20, nr_events("nr=1 flags=1"));
	EXPECT_LE(2 * 10, session_counter(self->fd, "python_unreadable"));
	make_world();
	grow();
	EXPECT_EQ(2, nr_events("nr=3 flags=0"));
}

static volatile int stops;

/* Writes what looks like pointers everywhere. */
static void *scribble(void *arg)
{
	uint64_t *words = (uint64_t *)&world;
	unsigned int seed = 1;
	size_t i;

	while (!stops) {
		i = rand_r(&seed) % (sizeof(world) / sizeof(*words));
		words[i] = rand_r(&seed) % 4 ? at(words) + rand_r(&seed) % sizeof(world) / 8 * 8 :
			   (uint64_t)rand_r(&seed) << rand_r(&seed) % 40;
	}
	return NULL;
}

TEST_F_TIMEOUT(python, memory_that_changes_does_no_harm, TEST_TIMEOUT)
{
	pthread_t thread;
	int i;

	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &self->arg));
	stops = 0;
	ASSERT_EQ(0, pthread_create(&thread, NULL, scribble, NULL));
	for (i = 0; i < 20000; i++)
		grow();
	stops = 1;
	pthread_join(thread, NULL);
	make_world();
	nr_events(NULL);
	grow();
	EXPECT_EQ(2, nr_events("nr=3 flags=0"));
}

TEST_F_TIMEOUT(python, the_functions_of_another_thread_are_not_mine, TEST_TIMEOUT)
{
	be_another_thread(true);
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &self->arg));
	grow();
	EXPECT_EQ(0, nr_events("python: key"));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(0, session_counter(self->fd, "python_unreadable"));
}

TEST_F_TIMEOUT(python, children_have_their_parents_interpreter, TEST_TIMEOUT)
{
	char text[64];
	pid_t child;

	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_PYTHON, &self->arg));
	child = fork();
	if (!child) {
		make_world();
		grow();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	snprintf(text, sizeof(text), "nr=3 flags=0 pid=%d", child);
	EXPECT_LE(2, nr_events(text));
}

TEST_F_TIMEOUT(python, an_idle_session_is_told_nothing, TEST_TIMEOUT)
{
	int fd = session_open();

	EXPECT_EQ(-EBUSY, session_ioctl(fd, MEMPROF_IOC_PYTHON, &self->arg));
	close(fd);
}

TEST_HARNESS_MAIN
