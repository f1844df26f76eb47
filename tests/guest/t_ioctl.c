// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contract of the UAPI header: sizes, reserved fields, errnos and states.
 */
#include "session.h"
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 120

/* The struct of any ioctl, with room after it. */
union any {
	uint32_t size;
	struct memprof_info info;
	struct memprof_target target;
	struct memprof_start start;
	struct memprof_stop stop;
	struct memprof_status status;
	struct memprof_snapshot snapshot;
	struct memprof_reset reset;
	struct memprof_read read;
	struct memprof_section_mark section_mark;
	struct memprof_section_flush section_flush;
	struct memprof_section_call section_call;
	struct memprof_python python;
	unsigned char bytes[128];
};

enum { IDLE, RUNNING };

FIXTURE(abi) {
	int fd;
};

FIXTURE_VARIANT(abi) {
	unsigned long cmd;
	uint32_t size;
	uint32_t released;	/* size of the struct in its first release */
	int state;
	int reserved;		/* offset of a reserved field, or -1 */
};

#define ABI(name, _cmd, type, _released, _state, _reserved)		\
	FIXTURE_VARIANT_ADD(abi, name) {				\
		.cmd = MEMPROF_IOC_##_cmd, .size = sizeof(struct type),	\
		.released = _released, .state = _state, .reserved = _reserved }

ABI(info, INFO, memprof_info, 40, IDLE, offsetof(struct memprof_info, __reserved));
ABI(target, TARGET, memprof_target, 40, IDLE,
    offsetof(struct memprof_target, __reserved));
ABI(start, START, memprof_start, 24, IDLE, -1);
ABI(stop, STOP, memprof_stop, 8, RUNNING,
    offsetof(struct memprof_stop, __reserved));
ABI(status, STATUS, memprof_status, 80, IDLE, -1);
ABI(snapshot, SNAPSHOT, memprof_snapshot, 32, RUNNING,
    offsetof(struct memprof_snapshot, __reserved));
ABI(reset, RESET, memprof_reset, 8, RUNNING,
    offsetof(struct memprof_reset, __reserved));
ABI(read, READ, memprof_read, 32, RUNNING,
    offsetof(struct memprof_read, __reserved));
ABI(section_start, SECTION_START, memprof_section_mark, 40, IDLE,
    offsetof(struct memprof_section_mark, __reserved));
ABI(section_flush, SECTION_FLUSH, memprof_section_flush, 40, IDLE,
    offsetof(struct memprof_section_flush, __reserved));
ABI(section_call, SECTION_CALL, memprof_section_call, 16, IDLE,
    offsetof(struct memprof_section_call, __reserved));
ABI(python, PYTHON, memprof_python, 88, RUNNING, -1);

FIXTURE_SETUP(abi)
{
	self->fd = session_open();
	ASSERT_GE(self->fd, 0);
	if (variant->cmd != MEMPROF_IOC_TARGET)
		ASSERT_EQ(0, session_target_pid(self->fd, getpid(), 0));
	if (variant->state == RUNNING) {
		ASSERT_EQ(0, session_start(self->fd, 0, 0, 0));
		ASSERT_EQ(0, session_snapshot(self->fd, 0));
	}
}

FIXTURE_TEARDOWN(abi)
{
	close(self->fd);
}

/* Fills a struct that the ioctl accepts. */
static void fill(union any *a, unsigned long cmd, uint32_t size)
{
	memset(a, 0, sizeof(*a));
	a->size = size;
	if (cmd == MEMPROF_IOC_READ)
		a->read.entry_size = 8;
	if (cmd == MEMPROF_IOC_SECTION_FLUSH)
		a->section_flush.entry_size = 8;
	if (cmd == MEMPROF_IOC_PYTHON)
		a->python = (struct memprof_python){
			.size = size, .pid = getpid(), .eval_end = 1, .frame_size = 8,
		};
}

TEST_F_TIMEOUT(abi, accepts_its_own_size, TEST_TIMEOUT)
{
	union any a;

	fill(&a, variant->cmd, variant->size);
	EXPECT_EQ(0, session_ioctl(self->fd, variant->cmd, &a));
	EXPECT_EQ(variant->size, a.size);
}

TEST_F_TIMEOUT(abi, accepts_the_struct_of_its_first_release, TEST_TIMEOUT)
{
	union any a;

	fill(&a, variant->cmd, variant->released);
	memset(a.bytes + variant->released, 0xff,
	       sizeof(a) - variant->released);
	EXPECT_EQ(0, session_ioctl(self->fd, variant->cmd, &a));
	/* bytes after the struct are not changed */
	EXPECT_EQ(0xff, a.bytes[variant->released]);
}

TEST_F_TIMEOUT(abi, refuses_a_shorter_struct, TEST_TIMEOUT)
{
	union any a;

	fill(&a, variant->cmd, variant->released - 1);
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, variant->cmd, &a));
	fill(&a, variant->cmd, 0);
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, variant->cmd, &a));
}

TEST_F_TIMEOUT(abi, accepts_a_longer_struct_with_a_zero_tail, TEST_TIMEOUT)
{
	union any a;

	fill(&a, variant->cmd, variant->size + 1);
	EXPECT_EQ(0, session_ioctl(self->fd, variant->cmd, &a));
}

TEST_F_TIMEOUT(abi, refuses_a_longer_struct_with_a_nonzero_tail, TEST_TIMEOUT)
{
	union any a;

	fill(&a, variant->cmd, variant->size + 1);
	a.bytes[variant->size] = 1;
	EXPECT_EQ(-E2BIG, session_ioctl(self->fd, variant->cmd, &a));
	fill(&a, variant->cmd, 1 << 20);
	EXPECT_EQ(-E2BIG, session_ioctl(self->fd, variant->cmd, &a));
}

TEST_F_TIMEOUT(abi, refuses_nonzero_reserved, TEST_TIMEOUT)
{
	union any a;

	if (variant->reserved < 0)
		SKIP(return, "this struct has no reserved field");
	fill(&a, variant->cmd, variant->size);
	a.bytes[variant->reserved] = 1;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, variant->cmd, &a));
}

TEST_F_TIMEOUT(abi, refuses_unmapped_memory, TEST_TIMEOUT)
{
	long page = sysconf(_SC_PAGESIZE);
	union any a;
	char *p;

	EXPECT_EQ(-EFAULT, session_ioctl(self->fd, variant->cmd, NULL));
	p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, munmap(p + page, page));
	fill(&a, variant->cmd, variant->size);
	memcpy(p + page - 8, &a, 8);
	EXPECT_EQ(variant->size > 8 ? -EFAULT : 0,
		  session_ioctl(self->fd, variant->cmd, p + page - 8));
	munmap(p, page);
}

TEST_F_TIMEOUT(abi, refuses_the_unprivileged, TEST_TIMEOUT)
{
	union any a;

	fill(&a, variant->cmd, variant->size);
	/* the file stays open: the privileges of the caller decide */
	ASSERT_EQ(0, setgid(65534));
	ASSERT_EQ(0, setuid(65534));
	EXPECT_EQ(variant->cmd == MEMPROF_IOC_INFO ||
		  (variant->cmd >= MEMPROF_IOC_SECTION_START &&
		   variant->cmd <= MEMPROF_IOC_SECTION_CALL) ? 0 : -EPERM,
		  session_ioctl(self->fd, variant->cmd, &a));
}

FIXTURE(session) {
	int fd;
};

FIXTURE_SETUP(session)
{
	self->fd = session_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(session)
{
	close(self->fd);
}

TEST_F_TIMEOUT(session, refuses_unknown_ioctls, TEST_TIMEOUT)
{
	union any a;

	fill(&a, 0, sizeof(a.info));
	EXPECT_EQ(-ENOTTY, session_ioctl(self->fd, _IO(MEMPROF_IOC_TYPE, 14), &a));
	EXPECT_EQ(-ENOTTY,
		  session_ioctl(self->fd, _IO(MEMPROF_IOC_TYPE, 0xff), &a));
	EXPECT_EQ(-ENOTTY, session_ioctl(self->fd, _IO('x', 0), &a));
	EXPECT_EQ(-ENOTTY, session_ioctl(self->fd, _IOWR(MEMPROF_IOC_TYPE, 0,
							 int), &a));
}

TEST_F_TIMEOUT(session, info_tells_limits_and_features, TEST_TIMEOUT)
{
	struct memprof_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_INFO, &info));
	EXPECT_EQ(MEMPROF_VERSION, info.version);
	EXPECT_EQ(MEMPROF_MAX_SESSIONS, info.max_sessions);
	EXPECT_EQ(MEMPROF_MAX_TARGETS, info.max_targets);
	EXPECT_EQ(sysconf(_SC_PAGESIZE), info.page_size);
	EXPECT_EQ(MEMPROF_FEATURE_FAULTS | MEMPROF_FEATURE_GROWTH |
		  MEMPROF_FEATURE_ALLOC | MEMPROF_FEATURE_SECTIONS |
		  MEMPROF_FEATURE_BLOCKS | MEMPROF_FEATURE_PYTHON,
		  info.features & ~MEMPROF_FEATURE_SKIP_RETURN);
	EXPECT_EQ(0, info.nr_sessions);
}

TEST_F_TIMEOUT(session, goes_from_idle_to_running_to_stopped, TEST_TIMEOUT)
{
	struct memprof_reset reset = { .size = sizeof(reset) };
	struct memprof_status st;

	/* state idle */
	ASSERT_EQ(0, session_status(self->fd, &st));
	EXPECT_EQ(MEMPROF_STATE_IDLE, st.state);
	EXPECT_EQ(0, st.session);
	EXPECT_EQ(-EBUSY, session_stop(self->fd));
	EXPECT_EQ(-EBUSY, session_snapshot(self->fd, 0));
	EXPECT_EQ(-EBUSY, session_ioctl(self->fd, MEMPROF_IOC_RESET, &reset));
	EXPECT_EQ(-EDESTADDRREQ, session_start(self->fd, 1, 1, 1));
	EXPECT_EQ(-ENODATA, session_nr_rows(self->fd, MEMPROF_READ_PROCESSES));
	ASSERT_EQ(0, session_target_pid(self->fd, getpid(), 0));

	/* state running */
	ASSERT_EQ(0, session_start(self->fd, 7, 0, 1));
	ASSERT_EQ(0, session_status(self->fd, &st));
	EXPECT_EQ(MEMPROF_STATE_RUNNING, st.state);
	EXPECT_EQ(0, st.flags);
	EXPECT_EQ(7, st.minor_period);
	EXPECT_EQ(MEMPROF_DEFAULT_MAJOR_PERIOD, st.major_period);
	EXPECT_EQ(MEMPROF_START_FAULTS | MEMPROF_START_GROWTH, st.streams);
	EXPECT_EQ(1, st.nr_targets);
	EXPECT_EQ(1, st.nr_processes);
	EXPECT_EQ(MEMPROF_DEFAULT_PROCESSES, st.max_processes);
	EXPECT_LT(0, st.session);
	EXPECT_LE(st.start_ns, st.now_ns);
	EXPECT_EQ(0, st.stop_ns);
	EXPECT_EQ(-EBUSY, session_start(self->fd, 1, 1, 1));
	EXPECT_EQ(-EBUSY, session_target_all(self->fd));
	EXPECT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_RESET, &reset));
	EXPECT_EQ(-ENODATA, session_nr_rows(self->fd, MEMPROF_READ_PROCESSES));
	EXPECT_EQ(0, session_snapshot(self->fd, 0));

	/* state stopped */
	ASSERT_EQ(0, session_stop(self->fd));
	ASSERT_EQ(0, session_status(self->fd, &st));
	EXPECT_EQ(MEMPROF_STATE_STOPPED, st.state);
	EXPECT_LE(st.start_ns, st.stop_ns);
	EXPECT_EQ(-EBUSY, session_stop(self->fd));
	EXPECT_EQ(-EBUSY, session_start(self->fd, 1, 1, 1));
	EXPECT_EQ(-EBUSY, session_target_all(self->fd));
	EXPECT_EQ(-EBUSY, session_ioctl(self->fd, MEMPROF_IOC_RESET, &reset));
	EXPECT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(1, session_nr_rows(self->fd, MEMPROF_READ_PROCESSES));
}

TEST_F_TIMEOUT(session, refuses_bad_targets, TEST_TIMEOUT)
{
	struct memprof_target t = { .size = sizeof(t) };

	t.kind = 77;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_TARGET, &t));
	t.kind = MEMPROF_TARGET_ALL;
	t.flags = MEMPROF_TARGET_CHILDREN;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_TARGET, &t));
	t.flags = 1 << 31;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_TARGET, &t));
	t.flags = 0;
	t.id = 1;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_TARGET, &t));
	t.id = 0;
	t.kind = MEMPROF_TARGET_COMM;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_TARGET, &t));
	memset(t.comm, 'x', sizeof(t.comm));
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_TARGET, &t));
	EXPECT_EQ(-ESRCH, session_target_pid(self->fd, 0, 0));
	EXPECT_EQ(-ESRCH, session_target_pid(self->fd, 0x7fffffff, 0));
	EXPECT_EQ(-ENOENT, session_target_cgroup(self->fd, 0x7fffffff));
	EXPECT_EQ(0, session_target_comm(self->fd, "x"));
	EXPECT_EQ(-EEXIST, session_target_comm(self->fd, "x"));
	EXPECT_EQ(0, session_target_pid(self->fd, getpid(), 0));
	EXPECT_EQ(-EEXIST, session_target_pid(self->fd, getpid(), 0));
	EXPECT_EQ(0, session_target_all(self->fd));
	EXPECT_EQ(-EEXIST, session_target_all(self->fd));
}

TEST_F_TIMEOUT(session, takes_so_many_targets_and_no_more, TEST_TIMEOUT)
{
	char comm[16];
	int i;

	for (i = 0; i < MEMPROF_MAX_TARGETS; i++) {
		snprintf(comm, sizeof(comm), "c%d", i);
		ASSERT_EQ(0, session_target_comm(self->fd, comm));
	}
	EXPECT_EQ(-ENOSPC, session_target_comm(self->fd, "one more"));
	EXPECT_EQ(-ENOSPC, session_target_all(self->fd));
	EXPECT_EQ(0, session_start(self->fd, 1, 1, 1));
}

TEST_F_TIMEOUT(session, refuses_bad_starts_and_stays_idle, TEST_TIMEOUT)
{
	struct memprof_start a = { .size = sizeof(a), .flags = 1 << 31 };
	struct memprof_status st;

	ASSERT_EQ(0, session_target_all(self->fd));
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_START, &a));
	a.flags = 0;
	a.minor_period = MEMPROF_MAX_PERIOD + 1;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_START, &a));
	a.minor_period = 0;
	a.max_processes = MEMPROF_MAX_PROCESSES + 1;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_START, &a));
	a.max_processes = 0;
	a.max_cgroups = MEMPROF_MAX_CGROUPS + 1;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_START, &a));
	ASSERT_EQ(0, session_status(self->fd, &st));
	EXPECT_EQ(MEMPROF_STATE_IDLE, st.state);
	EXPECT_EQ(0, session_start(self->fd, 0, 0, 0));
}

TEST_F_TIMEOUT(session, calls_without_an_answer_may_be_constant, TEST_TIMEOUT)
{
	static const struct memprof_target all = {
		.size = sizeof(all), .kind = MEMPROF_TARGET_ALL,
	};
	static const struct memprof_start start = { .size = sizeof(start) };
	static const struct memprof_stop stop = { .size = sizeof(stop) };

	EXPECT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_TARGET, (void *)&all));
	EXPECT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_START, (void *)&start));
	EXPECT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_STOP, (void *)&stop));
}

TEST_F_TIMEOUT(session, start_says_that_a_target_has_exited, TEST_TIMEOUT)
{
	pid_t pid = fork();

	ASSERT_GE(pid, 0);
	if (!pid) {
		pause();
		_exit(0);
	}
	EXPECT_EQ(0, session_target_pid(self->fd, pid, 0));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(-ESRCH, session_start(self->fd, 1, 1, 1));
}

TEST_F_TIMEOUT(session, read_gives_pieces_and_the_callers_row_size,
	       TEST_TIMEOUT)
{
	struct memprof_counter all[64], one;
	struct memprof_read a = {
		.size = sizeof(a), .table = MEMPROF_READ_COUNTERS, .nr = 64,
		.entry_size = sizeof(all[0]), .entries = (uintptr_t)all,
	};
	uint64_t wide[3][8];
	uint32_t i, nr;

	ASSERT_EQ(0, session_target_all(self->fd));
	ASSERT_EQ(0, session_start(self->fd, 1, 1, 1));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
	nr = a.nr;
	ASSERT_LT(4, nr);
	a.nr = 1;
	a.entries = (uintptr_t)&one;
	for (i = 0; i < nr; i++) {
		a.first = i;
		ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
		EXPECT_EQ(1, a.nr);
		EXPECT_EQ(0, memcmp(&one, &all[i], sizeof(one)));
	}
	a.first = nr;
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
	EXPECT_EQ(0, a.nr);
	a.first = 0xffffffff;
	a.nr = 0xffffffff;
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
	EXPECT_EQ(0, a.nr);

	/* rows wider than the kernel's are padded with zeros, narrower ones are cut */
	memset(wide, 0xff, sizeof(wide));
	a.first = 0;
	a.nr = 2;
	a.entry_size = sizeof(wide[0]);
	a.entries = (uintptr_t)wide;
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
	EXPECT_EQ(0, memcmp(wide[1], &all[1], sizeof(all[1])));
	EXPECT_EQ(0, wide[1][7]);
	EXPECT_EQ(UINT64_MAX, wide[2][0]);
	memset(wide, 0xff, sizeof(wide));
	a.entry_size = 8;
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
	EXPECT_EQ(0, memcmp(&wide[0][1], &all[1], 8));
	EXPECT_EQ(UINT64_MAX, wide[0][2]);

	a.entry_size = 12;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
	a.entry_size = 0;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
	a.entry_size = MEMPROF_MAX_ENTRY_SIZE + 8;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
	a.entry_size = 8;
	a.table = 9;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
	a.table = MEMPROF_READ_COUNTERS;
	a.entries = 8;
	EXPECT_EQ(-EFAULT, session_ioctl(self->fd, MEMPROF_IOC_READ, &a));
}

TEST_F_TIMEOUT(session, device_is_for_root_only, TEST_TIMEOUT)
{
	ASSERT_EQ(0, setgid(65534));
	ASSERT_EQ(0, setuid(65534));
	EXPECT_EQ(-EACCES, session_open());
}

TEST_HARNESS_MAIN
