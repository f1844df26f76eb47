// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of cpu-rings: reads perf rings that page faults of this thread fill. If the
 * kernel refuses perf_event_open(), the tests are skipped.
 */
#include "cpu-rings.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"

#define PAGES	8
#define PIECE	16384
#define PATTERN	0x70617474

FIXTURE(rings)
{
	struct mp_cpu_rings rings;
	const struct mp_cpu_ring *ring;
	int fd;
	size_t nr, nr_bad, nr_lost;
	char *fresh, *next;
};

/* Size of the memory that is touched. One fault maps one page of it. */
#define FRESH	(64UL << 20)

FIXTURE_SETUP(rings)
{
	static const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.size = PERF_ATTR_SIZE_VER7, .watermark = 1,
		.wakeup_watermark = 64,
	};
	int i, cpu = sched_getcpu(), err;
	cpu_set_t here;

	self->fd = -1;
	err = mp_cpu_rings_open(&self->rings, &attr, PAGES);
	if (err == -EACCES || err == -EPERM || err == -ENOSYS)
		SKIP(return, "perf_event is refused");
	ASSERT_EQ(0, err);
	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(here), &here));
	for (i = 0; i < self->rings.nr; i++)
		if (self->rings.list[i].cpu == cpu)
			self->ring = &self->rings.list[i];
	ASSERT_NE(NULL, self->ring);
	self->fresh = mmap(NULL, FRESH, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->fresh);
	madvise(self->fresh, FRESH, MADV_NOHUGEPAGE);
	self->next = self->fresh;
}

FIXTURE_TEARDOWN(rings)
{
	mp_cpu_rings_close(&self->rings);
	if (self->fd >= 0)
		close(self->fd);
	if (self->fresh)
		munmap(self->fresh, FRESH);
}

static bool follow_faults(FIXTURE_DATA(rings) *self, bool stacks)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
		.size = PERF_ATTR_SIZE_VER7, .sample_period = 1,
		.sample_type = PERF_SAMPLE_ADDR, .exclude_kernel = 1,
		.watermark = 1, .wakeup_watermark = 64,
	};

	if (stacks) {
		attr.sample_type |= PERF_SAMPLE_STACK_USER;
		attr.sample_stack_user = PIECE;
	}
	self->fd = (int)syscall(SYS_perf_event_open, &attr, 0, self->ring->cpu,
				-1, PERF_FLAG_FD_CLOEXEC);
	return self->fd >= 0 && !ioctl(self->fd, PERF_EVENT_IOC_SET_OUTPUT,
				       self->ring->fd);
}

static void touch_page(FIXTURE_DATA(rings) *self)
{
	*(volatile char *)self->next = 1;
	self->next += sysconf(_SC_PAGESIZE);
}

/* Causes a fault while the stack has known words. */
static __attribute__((noinline)) void touch_deep(FIXTURE_DATA(rings) *self)
{
	volatile uint32_t words[2 * PIECE / sizeof(uint32_t)];
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = PATTERN;
	touch_page(self);
	__asm__ volatile("" : : "r" (words) : "memory");
}

static int count(void *context, const struct perf_event_header *record)
{
	FIXTURE_DATA(rings) *self = context;

	self->nr += record->type == PERF_RECORD_SAMPLE;
	self->nr_lost += record->type == PERF_RECORD_LOST;
	return 0;
}

static int touch_again(void *context, const struct perf_event_header *record)
{
	touch_page(context);
	return count(context, record);
}

/* Checks a record: address, size of the piece of stack, the piece, bytes that are valid. */
static int check_piece(void *context, const struct perf_event_header *record)
{
	FIXTURE_DATA(rings) *self = context;
	const uint64_t *words = (const void *)(record + 1);
	const uint32_t *piece = (const void *)(words + 2);
	size_t i;

	if (record->type != PERF_RECORD_SAMPLE ||
	    words[0] < (uintptr_t)self->fresh ||
	    words[0] >= (uintptr_t)self->fresh + FRESH)
		return 0;
	self->nr++;
	self->nr_bad += words[1] != PIECE || words[2 + PIECE / 8] != PIECE;
	/* behind what the function has there besides */
	for (i = 64; i < PIECE / sizeof(*piece); i++)
		if (piece[i] != PATTERN)
			break;
	self->nr_bad += i < PIECE / sizeof(*piece);
	return 0;
}

TEST_F(rings, hand_out_every_record)
{
	struct pollfd poll_fd = { .fd = self->rings.poll_fd, .events = POLLIN };
	int i, round;

	ASSERT_TRUE(follow_faults(self, false));
	EXPECT_EQ(0, mp_cpu_rings_drain(&self->rings, count, self));
	for (round = 0; round < 10; round++) {
		self->nr = 0;
		for (i = 0; i < 300; i++)
			touch_page(self);
		EXPECT_EQ(1, poll(&poll_fd, 1, 1000));
		EXPECT_EQ(0, mp_cpu_rings_drain(&self->rings, count, self));
		EXPECT_LE(300, self->nr);
	}
	EXPECT_EQ(0, self->nr_lost);
}

TEST_F(rings, keep_long_records_whole_that_wrap)
{
	int i;

	ASSERT_TRUE(follow_faults(self, true));
	/* a ring has room for one and a half */
	for (i = 0; i < 100; i++) {
		touch_deep(self);
		EXPECT_EQ(0, mp_cpu_rings_drain(&self->rings, check_piece,
						self));
	}
	EXPECT_LE(50, self->nr);
	EXPECT_EQ(0, self->nr_bad);
}

TEST_F(rings, end_a_visit_while_they_are_filled)
{
	size_t most = PAGES * (size_t)sysconf(_SC_PAGESIZE) / 16;

	ASSERT_TRUE(follow_faults(self, false));
	touch_page(self);
	EXPECT_EQ(0, mp_cpu_rings_drain(&self->rings, touch_again, self));
	EXPECT_LE(self->nr, most);
	/* what found no room was counted by the kernel, and the rest goes on */
	self->nr = 0;
	touch_page(self);
	EXPECT_EQ(0, mp_cpu_rings_drain(&self->rings, count, self));
	EXPECT_LE(1, self->nr);
}

static int stop(void *context, const struct perf_event_header *record)
{
	return count(context, record) ?: -EINTR;
}

TEST_F(rings, give_back_what_was_taken_before_an_error)
{
	size_t first;
	int i;

	ASSERT_TRUE(follow_faults(self, false));
	for (i = 0; i < 20; i++)
		touch_page(self);
	EXPECT_EQ(-EINTR, mp_cpu_rings_drain(&self->rings, stop, self));
	first = self->nr;
	EXPECT_GE(1, first);
	EXPECT_EQ(0, mp_cpu_rings_drain(&self->rings, count, self));
	EXPECT_LE(20, self->nr);
}

TEST_F(rings, are_not_inherited_over_exec)
{
	int i;

	EXPECT_TRUE(fcntl(self->rings.poll_fd, F_GETFD) & FD_CLOEXEC);
	for (i = 0; i < self->rings.nr; i++) {
		EXPECT_TRUE(fcntl(self->rings.list[i].fd, F_GETFD) &
			    FD_CLOEXEC);
		EXPECT_LE(0, self->rings.list[i].cpu);
	}
}

TEST_F(rings, leave_nothing_open)
{
	int before = open("/dev/null", O_RDONLY), after;

	close(before);
	mp_cpu_rings_close(&self->rings);
	after = open("/dev/null", O_RDONLY);
	close(after);
	/* the first descriptor that they had is free again */
	EXPECT_LT(after, before);
	EXPECT_EQ(-1, self->rings.poll_fd);
	mp_cpu_rings_close(&self->rings);
}

TEST_HARNESS_MAIN
