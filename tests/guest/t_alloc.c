// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of allocators: known calls give known answers.
 */
#include "allocator.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"
#include "session.h"
#include "allocator-fixture.h"

#define TEST_TIMEOUT 240

TEST_F_TIMEOUT(alloc, counts_bytes_live_and_peak_are_exact, TEST_TIMEOUT)
{
	struct memprof_alloc a;
	void *p[100];
	long sum = 0;
	int i;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < 100; i++) {
		p[i] = my_malloc(i * 7);
		sum += i * 7;
	}
	LOOK(a);
	EXPECT_EQ(100, a.alloc_objects);
	EXPECT_EQ(sum, a.alloc_space);
	EXPECT_EQ(100, a.inuse_objects);
	EXPECT_EQ(sum, a.inuse_space);
	EXPECT_EQ(sum, a.peak_space);
	EXPECT_EQ(100, a.samples);
	for (i = 0; i < 100; i += 2)
		my_free(p[i]);
	LOOK(a);
	EXPECT_EQ(50, a.free_objects);
	EXPECT_EQ(50, a.inuse_objects);
	EXPECT_EQ(50 * 50 * 7, a.inuse_space);
	EXPECT_EQ(sum, a.peak_space);
	for (i = 1; i < 100; i += 2)
		my_free(p[i]);
	LOOK(a);
	EXPECT_EQ(100, a.alloc_objects);
	EXPECT_EQ(sum, a.alloc_space);
	EXPECT_EQ(0, a.inuse_objects);
	EXPECT_EQ(0, a.inuse_space);
	EXPECT_EQ(0, a.unknown_frees);
	EXPECT_EQ(0, a.failed);
}

TEST_F_TIMEOUT(alloc, every_kind_is_read_right_and_nested_calls_count_once,
	       TEST_TIMEOUT)
{
	struct memprof_alloc a;
	void *p;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	my_calloc(10, 30);
	LOOK(a);
	EXPECT_EQ(1, a.alloc_objects);
	EXPECT_EQ(300, a.inuse_space);
	my_memalign(64, 200);
	LOOK(a);
	EXPECT_EQ(2, a.alloc_objects);
	EXPECT_EQ(500, a.inuse_space);
	ASSERT_EQ(0, my_posix_memalign(&p, 64, 1000));
	LOOK(a);
	EXPECT_EQ(3, a.alloc_objects);
	EXPECT_EQ(1500, a.inuse_space);
	my_free(p);
	LOOK(a);
	EXPECT_EQ(500, a.inuse_space);
	EXPECT_EQ(0, a.unknown_frees);
	EXPECT_EQ(3, session_counter(self->fd, "alloc_nested"));
	EXPECT_EQ(0, session_counter(self->fd, "alloc_unmatched"));
	EXPECT_EQ(0, session_counter(self->fd, "alloc_abandoned"));
}

/* If the call were counted twice, there would be twice as many samples. */
TEST_F_TIMEOUT(alloc, a_jump_to_another_function_is_one_call, TEST_TIMEOUT)
{
	struct memprof_alloc a;
	int i;

	ASSERT_EQ(0, session_probe(self->fd, my_jump_malloc,
				   MEMPROF_FUNC_MALLOC));
	ASSERT_EQ(0, allocator_start(self->fd, MEMPROF_MAX_RATE, 0, 0, 0));
	for (i = 0; i < 10; i++)
		my_jump_malloc(100);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(10, session_counter(self->fd, "alloc_nested"));
	/* the same in exact mode */
	close(self->fd);
	self->fd = session_open();
	ASSERT_EQ(0, session_target_pid(self->fd, getpid(), 0));
	ASSERT_EQ(0, allocator_probe(self->fd));
	ASSERT_EQ(0, session_probe(self->fd, my_jump_malloc,
				   MEMPROF_FUNC_MALLOC));
	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < 10; i++)
		my_jump_malloc(100);
	LOOK(a);
	EXPECT_EQ(10, a.alloc_objects);
}

TEST_F_TIMEOUT(alloc, realloc_in_all_its_ways, TEST_TIMEOUT)
{
	struct memprof_alloc a;
	void *p, *q;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	p = my_realloc(NULL, 100);
	LOOK(a);
	EXPECT_EQ(100, a.inuse_space);
	q = my_realloc(p, 300);			/* moved */
	ASSERT_NE(p, q);
	LOOK(a);
	EXPECT_EQ(300, a.inuse_space);
	EXPECT_EQ(1, a.inuse_objects);
	EXPECT_EQ(300, a.peak_space);		/* only one of the blocks counts */
	hand_out = q;
	ASSERT_EQ(q, my_realloc(q, 200));	/* in place */
	LOOK(a);
	EXPECT_EQ(200, a.inuse_space);
	EXPECT_EQ(300, a.peak_space);
	fail = 1;
	EXPECT_EQ(NULL, my_realloc(q, 5000));	/* the old block remains */
	LOOK(a);
	EXPECT_EQ(200, a.inuse_space);
	EXPECT_EQ(1, a.failed);
	EXPECT_EQ(NULL, my_realloc(q, 0));	/* size 0 frees */
	LOOK(a);
	EXPECT_EQ(0, a.inuse_space);
	EXPECT_EQ(3, a.alloc_objects);
	EXPECT_EQ(3, a.free_objects);
	EXPECT_EQ(1, a.failed);
	EXPECT_EQ(0, a.unknown_frees);
}

TEST_F_TIMEOUT(alloc, failures_null_unknown_and_double_frees, TEST_TIMEOUT)
{
	void *old = my_malloc(10), *p;
	struct memprof_alloc a;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	fail = 1;
	EXPECT_EQ(NULL, my_malloc(1 << 30));
	fail = 1;
	EXPECT_EQ(ENOMEM, my_posix_memalign(&p, 8, 8));
	LOOK(a);
	EXPECT_EQ(2, a.failed);
	EXPECT_EQ(0, a.alloc_objects);
	my_free(old);
	my_free(NULL);
	p = my_malloc(10);
	my_free(p);
	my_free(p);
	LOOK(a);
	EXPECT_EQ(2, a.unknown_frees);
	EXPECT_EQ(1, a.alloc_objects);
	EXPECT_EQ(1, a.free_objects);
	EXPECT_EQ(0, a.inuse_objects);
	EXPECT_EQ(1, session_counter(self->fd, "alloc_free_null"));
	/* if an address is returned again, its block was freed and we missed it */
	p = my_malloc(100);
	hand_out = p;
	my_malloc(50);
	LOOK(a);
	EXPECT_EQ(50, a.inuse_space);
	EXPECT_EQ(1, a.inuse_objects);
}

TEST_F_TIMEOUT(alloc, a_call_left_by_longjmp_leaves_nothing, TEST_TIMEOUT)
{
	struct memprof_alloc a;
	void *volatile p;
	volatile int i;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	p = my_malloc(40);
	for (i = 0; i < 10; i++) {
		leap = 1;
		if (!setjmp(way_out))
			p = my_realloc(p, 400);
	}
	LOOK(a);
	EXPECT_EQ(1, a.alloc_objects);
	my_free(my_malloc(8));
	LOOK(a);
	EXPECT_EQ(2, a.alloc_objects);
	EXPECT_EQ(40, a.inuse_space);
	EXPECT_EQ(10, session_counter(self->fd, "alloc_abandoned"));
	my_free(p);
	LOOK(a);
	EXPECT_EQ(0, a.inuse_space);
}

TEST_F_TIMEOUT(alloc, callsites_are_kept_apart, TEST_TIMEOUT)
{
	struct memprof_binary binary;
	struct memprof_site site;
	struct memprof_read r = {
		.size = sizeof(r), .table = MEMPROF_READ_BINARIES, .nr = 1,
		.entry_size = sizeof(binary), .entries = (uintptr_t)&binary,
	};
	struct memprof_alloc a;
	void *p = NULL;
	Dl_info info;
	int i;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < 5; i++)
		p = caller_a(1000);
	my_free(p);
	for (i = 0; i < 3; i++)
		caller_b(64);
	LOOK(a);
	EXPECT_EQ(4192, a.inuse_space);
	ASSERT_EQ(0, session_site_in(self->fd, caller_a, &site));
	EXPECT_EQ(5, site.alloc.alloc_objects);
	EXPECT_EQ(4000, site.alloc.inuse_space);
	EXPECT_EQ(5000, site.alloc.peak_space);
	EXPECT_EQ(5, site.sizes[10]);		/* 512 to 1023 */
	EXPECT_EQ(getpid(), (int)site.pid);
	ASSERT_NE(0, site.binary);
	ASSERT_NE(0, dladdr(caller_a, &info));
	EXPECT_EQ(site.address - (uintptr_t)info.dli_fbase, site.offset);
	r.first = site.binary - 1;
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &r));
	EXPECT_NE(NULL, strstr(binary.path, "t_alloc"));
	ASSERT_EQ(0, session_site_in(self->fd, caller_b, &site));
	EXPECT_EQ(3, site.alloc.alloc_objects);
	EXPECT_EQ(192, site.alloc.inuse_space);
	EXPECT_EQ(MEMPROF_FUNC_CALLOC, (int)site.func);
}

/* The blocks of the two callsites are in use at different times. */
TEST_F_TIMEOUT(alloc, callsites_have_what_they_had_at_the_peak, TEST_TIMEOUT)
{
	struct memprof_site site;
	struct memprof_alloc a;
	void *p[200];
	int i;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < 200; i++)
		p[i] = caller_a(5000);
	for (i = 0; i < 200; i++)
		my_free(p[i]);
	for (i = 0; i < 100; i++)
		p[i] = caller_b(5000);
	LOOK(a);
	EXPECT_EQ(1000000, a.peak_space);
	ASSERT_EQ(0, session_site_in(self->fd, caller_a, &site));
	EXPECT_EQ(1000000, site.at_peak_space);
	EXPECT_EQ(0, site.alloc.inuse_space);
	ASSERT_EQ(0, session_site_in(self->fd, caller_b, &site));
	EXPECT_EQ(0, site.at_peak_space);
	EXPECT_EQ(500000, site.alloc.inuse_space);
	/* the peak after a reset is what is in use, until there is a higher one */
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	for (i = 0; i < 100; i++)
		my_free(p[i]);
	LOOK(a);
	EXPECT_EQ(500000, a.peak_space);
	ASSERT_EQ(0, session_site_in(self->fd, caller_a, &site));
	EXPECT_EQ(0, site.at_peak_space);
	ASSERT_EQ(0, session_site_in(self->fd, caller_b, &site));
	EXPECT_EQ(500000, site.at_peak_space);
	EXPECT_EQ(0, site.at_exit_space);
}

NOINLINE char *mapper(size_t size)
{
	char *p = my_mapping_malloc(size);

	asm volatile("" : "+r"(p));
	return p;
}

NOINLINE void toucher(char *p, long pages)
{
	long i;

	for (i = 0; i < pages; i++)
		((volatile char *)p)[i * PAGE] = 1;
}

TEST_F_TIMEOUT(alloc, growth_and_faults_are_charged_to_who_allocated,
	       TEST_TIMEOUT)
{
	struct memprof_site site;
	char *p;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, MEMPROF_START_FAULTS |
			   MEMPROF_START_GROWTH));
	p = mapper(4 * MIB);
	toucher(p, 512);
	my_free(my_malloc(1));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_site_in(self->fd, mapper, &site));
	EXPECT_EQ(4 * MIB, site.growth_bytes);
	EXPECT_EQ(4 * MIB, site.alloc.inuse_space);
	/* the header is touched inside the call, the other pages are not */
	EXPECT_LE(1, site.inside_faults);
	EXPECT_GE(8, site.inside_faults);
	EXPECT_LE(511, site.block_faults);
	EXPECT_GE(512, site.block_faults);
	/* memory that belongs to no block must not be charged to a block */
	p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		 -1, 0);
	madvise(p, MIB, MADV_NOHUGEPAGE);
	toucher(p, 256);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, session_site_in(self->fd, mapper, &site));
	EXPECT_GE(512, site.block_faults);
	EXPECT_EQ(4 * MIB, site.growth_bytes);
}

TEST_F_TIMEOUT(alloc, others_are_not_slowed_nor_seen, TEST_TIMEOUT)
{
	int other = session_open();
	struct memprof_alloc a;

	/* a session with another process as target */
	ASSERT_EQ(0, session_target_pid(other, 1, 0));
	ASSERT_EQ(0, allocator_probe(other));
	ASSERT_EQ(0, allocator_start(other, 1, 0, 0, 0));
	my_free(my_malloc(100));
	ASSERT_EQ(0, session_snapshot(other, 0));
	EXPECT_EQ(0, session_counter(other, "alloc_not_target"));
	EXPECT_EQ(1, session_nr_rows(other, MEMPROF_READ_PROCESSES));
	/* a session with this process as target, with the same probe points */
	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	my_malloc(100);
	LOOK(a);
	EXPECT_EQ(100, a.inuse_space);
	close(other);
	my_malloc(100);
	LOOK(a);
	EXPECT_EQ(200, a.inuse_space);
}

TEST_F_TIMEOUT(alloc, probes_keep_their_promises, TEST_TIMEOUT)
{
	struct memprof_probe a = {
		.size = sizeof(a), .func = MEMPROF_FUNC_MALLOC, .fd = -1,
	};

	EXPECT_EQ(-EBADF, session_ioctl(self->fd, MEMPROF_IOC_PROBE, &a));
	a.func = 0;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_PROBE, &a));
	a.func = 11;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_PROBE, &a));
	a.func = MEMPROF_FUNC_MALLOC;
	a.args[0].kind = 1;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_PROBE, &a));
	a.func = MEMPROF_FUNC_USDT_ALLOC;
	a.args[0].kind = 3;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_PROBE, &a));
	EXPECT_EQ(-EEXIST, session_probe(self->fd, my_malloc, MEMPROF_FUNC_MALLOC));
	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	EXPECT_EQ(-EEXIST, session_probe(self->fd, my_malloc, MEMPROF_FUNC_MALLOC));
	/* one more probe while the session runs */
	EXPECT_EQ(0, session_probe(self->fd, caller_a, MEMPROF_FUNC_MALLOC));
	/* the struct of the first release, with three arguments, and a shorter one */
	memset(&a, 0, sizeof(a));
	a.func = MEMPROF_FUNC_MALLOC;
	a.size = 79;
	EXPECT_EQ(-EINVAL, session_probe_like(self->fd, caller_b, &a));
	a.size = 80;
	EXPECT_EQ(0, session_probe_like(self->fd, caller_b, &a));
	/* a file that cannot be executed */
	memset(&a, 0, sizeof(a));
	a.size = sizeof(a);
	a.func = MEMPROF_FUNC_MALLOC;
	a.fd = open("/proc/self/status", O_RDONLY);
	EXPECT_NE(0, session_ioctl(self->fd, MEMPROF_IOC_PROBE, &a));
	close(a.fd);
	ASSERT_EQ(0, session_stop(self->fd));
	EXPECT_EQ(-EBUSY, session_probe(self->fd, caller_b, MEMPROF_FUNC_MALLOC));
	/* probes are removed, so this has no effect */
	my_malloc(10);
}

TEST_HARNESS_MAIN
