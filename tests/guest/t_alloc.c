// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations: known calls must give known numbers. The allocator is defined in
 * this file, so that a test can do what libc's allocator would not survive.
 */
#include "session.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 240
#define PAGE 4096L
#define MIB (1L << 20)
#define NOINLINE __attribute__((noinline, noclone))

/* The allocator: returns addresses of an arena, and never touches the memory. */
static char *arena;
static size_t used;
static jmp_buf way_out;
static int leap;			/* the next call leaves by longjmp() */
static int fail;			/* the next call returns NULL */
static void *hand_out;			/* the next call returns this address */

NOINLINE void *my_malloc(size_t size)
{
	char *p = arena + used;

	if (leap) {
		leap = 0;
		longjmp(way_out, 1);
	}
	if (fail) {
		fail = 0;
		return NULL;
	}
	if (hand_out) {
		p = hand_out;
		hand_out = NULL;
		return p;
	}
	used += (size + 31) & -16;
	return p;
}

/* Calls the allocator by a jump, as Rust's __rust_alloc does. */
void *my_jump_malloc(size_t size);
asm(".pushsection .text\n"
    ".globl my_jump_malloc\n"
    ".type my_jump_malloc, %function\n"
    "my_jump_malloc:\n"
#ifdef __x86_64__
    "jmp my_malloc\n"
#else
    "b my_malloc\n"
#endif
    ".size my_jump_malloc, . - my_jump_malloc\n"
    ".popsection");

NOINLINE void my_free(void *p)
{
	asm volatile("" : : "r"(p) : "memory");
}

/* Calls another allocator function, as many allocators do. */
NOINLINE void *my_calloc(size_t n, size_t size)
{
	void *p = my_malloc(n * size);

	asm volatile("" : "+r"(p));
	return p;
}

/* Like glibc's realloc: size 0 frees; the block moves, unless hand_out is set. */
NOINLINE void *my_realloc(void *p, size_t size)
{
	void *q;

	if (!size) {
		my_free(p);
		return NULL;
	}
	q = my_malloc(size);
	asm volatile("" : "+r"(q));
	return q;
}

NOINLINE int my_posix_memalign(void **p, size_t alignment, size_t size)
{
	*p = my_malloc(size + alignment);
	return *p ? 0 : ENOMEM;
}

NOINLINE void *my_memalign(size_t alignment, size_t size)
{
	void *p = my_malloc(size + alignment);

	asm volatile("" : "+r"(p));
	return p;
}

/* An allocator that makes its heap grow, like libc's malloc for large blocks. */
NOINLINE void *my_mapping_malloc(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, size, MADV_NOHUGEPAGE);
	*(volatile char *)p = 1;	/* the block's header */
	return p;
}

static int add_probes(int fd)
{
	return session_probe(fd, my_malloc, MEMPROF_FUNC_MALLOC) ?:
	       session_probe(fd, my_calloc, MEMPROF_FUNC_CALLOC) ?:
	       session_probe(fd, my_realloc, MEMPROF_FUNC_REALLOC) ?:
	       session_probe(fd, my_memalign, MEMPROF_FUNC_MEMALIGN) ?:
	       session_probe(fd, my_posix_memalign, MEMPROF_FUNC_POSIX_MEMALIGN) ?:
	       session_probe(fd, my_mapping_malloc, MEMPROF_FUNC_MALLOC) ?:
	       session_probe(fd, my_free, MEMPROF_FUNC_FREE);
}

static int start(int fd, uint64_t rate, uint32_t max_live, uint32_t max_sites,
		 uint32_t more)
{
	struct memprof_start a = {
		.size = sizeof(a), .flags = MEMPROF_START_ALLOC | more,
		.minor_period = 1, .alloc_rate = rate,
		.max_live = max_live ?: 1 << 16, .max_sites = max_sites,
	};

	return session_ioctl(fd, MEMPROF_IOC_START, &a);
}

FIXTURE(alloc) {
	int fd;
};

FIXTURE_SETUP(alloc)
{
	arena = mmap(NULL, 1L << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
		     MAP_NORESERVE, -1, 0);
	ASSERT_NE(MAP_FAILED, arena);
	self->fd = session_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, session_target_pid(self->fd, getpid(),
					MEMPROF_TARGET_CHILDREN));
	ASSERT_EQ(0, add_probes(self->fd));
}

FIXTURE_TEARDOWN(alloc)
{
	close(self->fd);
}

/* Reads the allocations of this process; asserts on failure. */
#define LOOK(a) ({ struct memprof_process _p;				\
	ASSERT_EQ(0, session_look(self->fd, getpid(), &_p)); (a) = _p.alloc; })

static int site_row(int fd, int i, struct memprof_site *site)
{
	struct memprof_read a = {
		.size = sizeof(a), .table = MEMPROF_READ_SITES, .first = i,
		.nr = 1, .entry_size = sizeof(*site),
		.entries = (uintptr_t)site,
	};
	int err = session_ioctl(fd, MEMPROF_IOC_READ, &a);

	return err ?: a.nr ? 0 : -ENOENT;
}

/* Finds the first callsite after the beginning of a function. */
static int site_in(int fd, void *function, struct memprof_site *site)
{
	uint64_t begin = (uintptr_t)function, nearest = begin + 256;
	struct memprof_site row;
	int i;

	for (i = 0; !site_row(fd, i, &row); i++) {
		if (row.address <= begin || row.address >= nearest)
			continue;
		nearest = row.address;
		*site = row;
	}
	return nearest == begin + 256 ? -ENOENT : 0;
}

TEST_F_TIMEOUT(alloc, counts_bytes_live_and_peak_are_exact, TEST_TIMEOUT)
{
	struct memprof_alloc a;
	void *p[100];
	long sum = 0;
	int i;

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
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

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
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
	ASSERT_EQ(0, start(self->fd, MEMPROF_MAX_RATE, 0, 0, 0));
	for (i = 0; i < 10; i++)
		my_jump_malloc(100);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(10, session_counter(self->fd, "alloc_nested"));
	/* the same in exact mode */
	close(self->fd);
	self->fd = session_open();
	ASSERT_EQ(0, session_target_pid(self->fd, getpid(), 0));
	ASSERT_EQ(0, add_probes(self->fd));
	ASSERT_EQ(0, session_probe(self->fd, my_jump_malloc,
				   MEMPROF_FUNC_MALLOC));
	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < 10; i++)
		my_jump_malloc(100);
	LOOK(a);
	EXPECT_EQ(10, a.alloc_objects);
}

TEST_F_TIMEOUT(alloc, realloc_in_all_its_ways, TEST_TIMEOUT)
{
	struct memprof_alloc a;
	void *p, *q;

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
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

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
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

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
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

static void *free_it(void *p)
{
	my_free(p);
	return NULL;
}

TEST_F_TIMEOUT(alloc, another_thread_may_free_and_temporary_is_the_same_one,
	       TEST_TIMEOUT)
{
	struct memprof_alloc a;
	pthread_t t;
	void *p, *q;

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
	my_free(my_malloc(10));			/* a temporary block */
	p = my_malloc(20);
	q = my_malloc(30);
	my_free(p);				/* not temporary */
	my_free(q);				/* temporary */
	p = my_malloc(40);
	pthread_create(&t, NULL, free_it, p);	/* not temporary */
	pthread_join(t, NULL);
	LOOK(a);
	EXPECT_EQ(4, a.free_objects);
	EXPECT_EQ(2, a.temporary_objects);
	EXPECT_EQ(0, a.inuse_objects);
}

#define THREADS 4
#define ROUNDS 500

static void *churn(void *arg)
{
	long i, id = (long)arg;
	void *p[8] = { 0 };

	for (i = 0; i < ROUNDS; i++) {
		if (p[i % 8])
			my_free(p[i % 8]);
		p[i % 8] = my_memalign(0, 16 + id);
	}
	for (i = 0; i < 8; i++)
		my_free(p[i]);
	return NULL;
}

TEST_F_TIMEOUT(alloc, processes_at_once_add_up_exactly, TEST_TIMEOUT)
{
	struct memprof_process p;
	pid_t pid[THREADS];
	long i;

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < THREADS; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			churn((void *)i);
			my_malloc(99);		/* leaked */
			_exit(0);
		}
	}
	for (i = 0; i < THREADS; i++)
		waitpid(pid[i], NULL, 0);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, session_process(self->fd, pid[i],
					     MEMPROF_PROCESS_EXITED, &p));
		EXPECT_EQ(ROUNDS + 1, p.alloc.alloc_objects);
		EXPECT_EQ(ROUNDS * (16 + i) + 99, p.alloc.alloc_space);
		EXPECT_EQ(ROUNDS, p.alloc.free_objects);
		EXPECT_EQ(8 * (16 + i), p.alloc.peak_space);
		EXPECT_EQ(0, p.alloc.inuse_objects);
		EXPECT_EQ(0, p.alloc.inuse_space);
		EXPECT_EQ(0, p.alloc.unknown_frees);
	}
	EXPECT_EQ(0, session_counter(self->fd, "alloc_unmatched"));
}

TEST_F_TIMEOUT(alloc, a_child_inherits_and_neither_side_goes_wrong,
	       TEST_TIMEOUT)
{
	struct memprof_process p;
	struct memprof_alloc a;
	void *b[10];
	pid_t pid;
	int i;

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < 10; i++)
		b[i] = my_malloc(100);
	pid = fork();
	if (!pid) {
		for (i = 0; i < 4; i++)
			my_free(b[i]);
		my_malloc(1000);
		pause();
	}
	ASSERT_TRUE(session_pauses(pid));
	LOOK(a);
	EXPECT_EQ(1000, a.inuse_space);
	ASSERT_EQ(0, session_process(self->fd, pid, 0, &p));
	EXPECT_EQ(10, p.alloc.inherited_objects);
	EXPECT_EQ(1000, p.alloc.inherited_space);
	EXPECT_EQ(4, p.alloc.inherited_frees);
	EXPECT_EQ(0, p.alloc.unknown_frees);
	EXPECT_EQ(1000, p.alloc.inuse_space);
	EXPECT_EQ(1, p.alloc.inuse_objects);
	for (i = 0; i < 10; i++)
		my_free(b[i]);
	LOOK(a);
	EXPECT_EQ(0, a.inuse_space);
	EXPECT_EQ(0, a.unknown_frees);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Two callsites, which must be distinguished and have their file. */
NOINLINE void *caller_a(size_t size)
{
	void *p = my_malloc(size);

	asm volatile("" : "+r"(p));
	return p;
}

NOINLINE void *caller_b(size_t size)
{
	void *p = my_calloc(1, size);

	asm volatile("" : "+r"(p));
	return p;
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

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < 5; i++)
		p = caller_a(1000);
	my_free(p);
	for (i = 0; i < 3; i++)
		caller_b(64);
	LOOK(a);
	EXPECT_EQ(4192, a.inuse_space);
	ASSERT_EQ(0, site_in(self->fd, caller_a, &site));
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
	ASSERT_EQ(0, site_in(self->fd, caller_b, &site));
	EXPECT_EQ(3, site.alloc.alloc_objects);
	EXPECT_EQ(192, site.alloc.inuse_space);
	EXPECT_EQ(MEMPROF_FUNC_CALLOC, (int)site.func);
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

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, MEMPROF_START_FAULTS |
			   MEMPROF_START_GROWTH));
	p = mapper(4 * MIB);
	toucher(p, 512);
	my_free(my_malloc(1));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	ASSERT_EQ(0, site_in(self->fd, mapper, &site));
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
	ASSERT_EQ(0, site_in(self->fd, mapper, &site));
	EXPECT_GE(512, site.block_faults);
	EXPECT_EQ(4 * MIB, site.growth_bytes);
}

TEST_F_TIMEOUT(alloc, full_tables_say_so_and_lose_nothing_else, TEST_TIMEOUT)
{
	struct memprof_status status;
	struct memprof_site site;
	struct memprof_alloc a;
	void *p[20];
	int i;

	ASSERT_EQ(0, start(self->fd, 1, 10, 1, 0));
	for (i = 0; i < 20; i++)
		p[i] = caller_a(100);
	caller_b(50);
	LOOK(a);
	EXPECT_EQ(21, a.alloc_objects);
	EXPECT_EQ(2050, a.alloc_space);
	EXPECT_EQ(10, a.inuse_objects);
	EXPECT_EQ(1000, a.inuse_space);
	EXPECT_EQ(11, session_counter(self->fd, "live_table_full"));
	ASSERT_EQ(0, session_status(self->fd, &status));
	EXPECT_EQ(10, status.max_live);
	EXPECT_EQ(10, status.nr_live);
	EXPECT_EQ(1, status.max_sites);
	EXPECT_EQ(1, status.nr_sites);
	EXPECT_LE(1, session_counter(self->fd, "site_table_full"));
	/* a callsite counts all its allocations, and as in use only followed blocks */
	ASSERT_EQ(0, site_row(self->fd, 0, &site));
	EXPECT_EQ(20, site.alloc.alloc_objects);
	EXPECT_EQ(2000, site.alloc.alloc_space);
	EXPECT_EQ(10, site.alloc.inuse_objects);
	ASSERT_EQ(0, site_row(self->fd, 1, &site));
	EXPECT_EQ(MEMPROF_SITE_DROPPED, site.flags);
	EXPECT_EQ(1, site.alloc.alloc_objects);
	EXPECT_EQ(0, site.alloc.inuse_objects);
	for (i = 0; i < 20; i++)
		my_free(p[i]);
	LOOK(a);
	EXPECT_EQ(0, a.inuse_objects);
	EXPECT_EQ(10, a.free_objects);
	/* ten more blocks did not fit into the table, so they are not unknown */
	EXPECT_EQ(0, a.unknown_frees);
	my_free(malloc(1));
	LOOK(a);
	EXPECT_EQ(0, a.unknown_frees);
	my_free(malloc(1));
	LOOK(a);
	EXPECT_EQ(1, a.unknown_frees);
}

TEST_F_TIMEOUT(alloc, reset_keeps_what_lives, TEST_TIMEOUT)
{
	struct memprof_alloc a;
	void *p;

	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
	my_free(my_malloc(5000));
	p = my_malloc(1000);
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	LOOK(a);
	EXPECT_EQ(0, a.alloc_objects);
	EXPECT_EQ(1000, a.inuse_space);
	EXPECT_EQ(1000, a.peak_space);
	my_free(p);
	LOOK(a);
	EXPECT_EQ(0, a.inuse_space);
	EXPECT_EQ(1, a.free_objects);
}

TEST_F_TIMEOUT(alloc, others_are_not_slowed_nor_seen, TEST_TIMEOUT)
{
	int other = session_open();
	struct memprof_alloc a;

	/* a session with another process as target */
	ASSERT_EQ(0, session_target_pid(other, 1, 0));
	ASSERT_EQ(0, add_probes(other));
	ASSERT_EQ(0, start(other, 1, 0, 0, 0));
	my_free(my_malloc(100));
	ASSERT_EQ(0, session_snapshot(other, 0));
	EXPECT_EQ(0, session_counter(other, "alloc_not_target"));
	EXPECT_EQ(1, session_nr_rows(other, MEMPROF_READ_PROCESSES));
	/* a session with this process as target, with the same probe points */
	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
	my_malloc(100);
	LOOK(a);
	EXPECT_EQ(100, a.inuse_space);
	close(other);
	my_malloc(100);
	LOOK(a);
	EXPECT_EQ(200, a.inuse_space);
}

static int move_to(const char *cgroup)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	file = fopen(path, "w");
	if (!file)
		return -errno;
	fprintf(file, "%d", (int)getpid());
	return fclose(file) ? -errno : 0;
}

/* The process has mapped the allocator long before it becomes a target. */
TEST_F_TIMEOUT(alloc, who_is_moved_to_a_target_is_followed, TEST_TIMEOUT)
{
	static const char cgroup[] = "/sys/fs/cgroup/t_alloc_moved";
	struct memprof_process p = { 0 };
	int fd = session_open(), tries, err = -ENOENT;
	struct stat st;

	mkdir(cgroup, 0755);
	ASSERT_EQ(0, stat(cgroup, &st));
	ASSERT_EQ(0, session_target_cgroup(fd, st.st_ino));
	ASSERT_EQ(0, add_probes(fd));
	ASSERT_EQ(0, start(fd, 1, 0, 0, 0));
	my_malloc(100);
	ASSERT_EQ(0, move_to(cgroup));
	for (tries = 0; tries < 100 && (err || !p.alloc.alloc_objects);
	     tries++) {
		usleep(100000);
		my_malloc(100);
		err = session_look(fd, getpid(), &p);
	}
	EXPECT_EQ(0, err);
	EXPECT_EQ(1, p.alloc.alloc_objects);
	EXPECT_EQ(0, move_to("/sys/fs/cgroup"));
	close(fd);
	rmdir(cgroup);
}

/* Its frees still count, so its blocks do not seem to live for ever. */
TEST_F_TIMEOUT(alloc, who_leaves_a_target_still_frees, TEST_TIMEOUT)
{
	static const char cgroup[] = "/sys/fs/cgroup/t_alloc_left";
	struct memprof_process p = { 0 };
	struct memprof_cgroup g;
	int fd = session_open(), i;
	struct stat st;
	void *b[10];

	mkdir(cgroup, 0755);
	ASSERT_EQ(0, stat(cgroup, &st));
	ASSERT_EQ(0, move_to(cgroup));
	ASSERT_EQ(0, session_target_cgroup(fd, st.st_ino));
	ASSERT_EQ(0, add_probes(fd));
	ASSERT_EQ(0, start(fd, 1, 0, 0, 0));
	for (i = 0; i < 10; i++)
		b[i] = my_malloc(100);
	ASSERT_EQ(0, move_to("/sys/fs/cgroup"));
	my_malloc(5000);
	for (i = 0; i < 6; i++)
		my_free(b[i]);
	/* the new block is not followed, and the old one is freed */
	my_realloc(b[6], 200);
	ASSERT_EQ(0, session_snapshot(fd, 0));
	ASSERT_EQ(0, session_process(fd, getpid(), MEMPROF_PROCESS_LEFT, &p));
	EXPECT_EQ(10, p.alloc.alloc_objects);
	EXPECT_EQ(7, p.alloc.free_objects);
	EXPECT_EQ(300, p.alloc.inuse_space);
	ASSERT_EQ(0, session_cgroup(fd, st.st_ino, &g));
	EXPECT_EQ(300, g.alloc.inuse_space);
	close(fd);
	rmdir(cgroup);
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
	ASSERT_EQ(0, start(self->fd, 1, 0, 0, 0));
	EXPECT_EQ(-EEXIST, session_probe(self->fd, my_malloc, MEMPROF_FUNC_MALLOC));
	/* one more probe while the session runs */
	EXPECT_EQ(0, session_probe(self->fd, caller_a, MEMPROF_FUNC_MALLOC));
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

TEST_F_TIMEOUT(alloc, samples_are_unbiased_for_every_size, TEST_TIMEOUT)
{
	static const long sizes[] = { 16, 1000, 30000, 65536, 300000, 64 * MIB };
	const double rate = 65536;
	struct memprof_alloc a;
	unsigned int i;
	long j;

	ASSERT_EQ(0, start(self->fd, rate, 1 << 20, 0, 0));
	for (i = 0; i < 6; i++) {
		/* about 300 samples, if the number of calls allows it */
		long n = 300 * (1 + rate / sizes[i]);
		double p = 1 - exp(-sizes[i] / rate), sigma;

		n = n > 60000 ? 60000 : n;
		ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
		for (j = 0; j < n; j++)
			my_malloc(sizes[i]);
		LOOK(a);
		sigma = sqrt(n * (1 - p) / p) + 1;
		EXPECT_LE(n - 5 * sigma, a.alloc_objects)
			TH_LOG("%ld of %ld bytes: %llu", n, sizes[i],
			       a.alloc_objects);
		EXPECT_GE(n + 5 * sigma, a.alloc_objects)
			TH_LOG("%ld of %ld bytes: %llu", n, sizes[i],
			       a.alloc_objects);
		EXPECT_LE((n - 5 * sigma) * sizes[i] * .999, a.alloc_space);
		EXPECT_GE((n + 5 * sigma) * sizes[i] * 1.001, a.alloc_space);
		/* each estimate is within 1e-3 of the formula for the weight */
		EXPECT_LE(a.samples / p * .999 - 1, a.alloc_objects);
		EXPECT_GE(a.samples / p * 1.001 + 1, a.alloc_objects);
	}
}

/* Sizes, each with a rate and a number of calls that give about 1000 samples per run. */
static const struct {
	long size, rate, n;
} runs[] = {
	{ 16, 1024, 60000 }, { 1000, 16384, 20000 }, { 30000, 65536, 2000 },
	{ 65536, 65536, 1000 }, { 300000, 65536, 500 }, { 64 * MIB, 65536, 50 },
};

TEST_F_TIMEOUT(alloc, mean_of_30_runs_is_within_3_percent_per_callsite,
	       TEST_TIMEOUT)
{
	struct memprof_site site;
	unsigned int i;
	long j;

	if (getenv("TEST_SLOW_KERNEL"))
		SKIP(return, "two million calls take too long in this kernel");
	close(self->fd);
	for (i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		double truth = (double)runs[i].n * runs[i].size, mean = 0;
		int run;

		for (run = 0; run < 30; run++) {
			self->fd = session_open();
			ASSERT_EQ(0, session_target_pid(self->fd, getpid(), 0));
			ASSERT_EQ(0, add_probes(self->fd));
			ASSERT_EQ(0, start(self->fd, runs[i].rate, 0, 0, 0));
			for (j = 0; j < runs[i].n; j++)
				caller_a(runs[i].size);
			ASSERT_EQ(0, session_snapshot(self->fd, 0));
			ASSERT_EQ(0, site_in(self->fd, caller_a, &site));
			mean += site.alloc.inuse_space / 30.;
			close(self->fd);
		}
		TH_LOG("%ld bytes: %.2f %% off", runs[i].size,
		       100 * (mean / truth - 1));
		EXPECT_LT(.97 * truth, mean);
		EXPECT_GT(1.03 * truth, mean);
	}
	self->fd = session_open();
}

TEST_HARNESS_MAIN
