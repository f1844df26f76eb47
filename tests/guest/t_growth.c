// SPDX-License-Identifier: GPL-2.0-only
/*
 * Growth is exact: known calls must give known sums.
 */
#include "session.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 120
#define KIB 1024L
#define MIB (1024 * KIB)

FIXTURE(growth) {
	int fd;
};

FIXTURE_SETUP(growth)
{
	self->fd = session_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, session_target_pid(self->fd, getpid(), 0));
	ASSERT_EQ(0, session_start(self->fd, 0, 0, 1));
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
}

FIXTURE_TEARDOWN(growth)
{
	close(self->fd);
}

static void *map(void *addr, size_t len, int flags)
{
	return mmap(addr, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

TEST_F_TIMEOUT(growth, brk_is_exact_to_the_byte, TEST_TIMEOUT)
{
	char *brk = (char *)syscall(SYS_brk, 0);
	struct memprof_process p;
	int64_t unchanged;

	ASSERT_EQ((long)(brk + MIB + 123), syscall(SYS_brk, brk + MIB + 123));
	ASSERT_EQ((long)(brk + 512 * KIB), syscall(SYS_brk, brk + 512 * KIB));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(MIB + 123, p.tally.brk_up_bytes);
	EXPECT_EQ(512 * KIB + 123, p.tally.brk_down_bytes);
	EXPECT_EQ(0, p.tally.mmap_up_bytes);
	EXPECT_EQ(0, p.tally.mmap_down_bytes);
	EXPECT_EQ(2, p.tally.nr_growth);
	EXPECT_EQ(MIB + 123, p.tally.growth_peak_bytes);
	/* brk(0) and a refused brk() change nothing */
	unchanged = session_counter(self->fd, "growth_unchanged");
	syscall(SYS_brk, 0);
	syscall(SYS_brk, 1L << 60);
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(unchanged + 2, session_counter(self->fd, "growth_unchanged"));
	EXPECT_EQ(2, p.tally.nr_growth);
	syscall(SYS_brk, brk);
}

TEST_F_TIMEOUT(growth, mapping_calls_are_exact, TEST_TIMEOUT)
{
	struct memprof_process p;
	char *m, *n;

	m = map(NULL, MIB, 0);
	ASSERT_NE(MAP_FAILED, m);
	n = map(NULL, 5000, 0);		/* two pages */
	ASSERT_NE(MAP_FAILED, n);
	m = mremap(m, MIB, 4 * MIB, MREMAP_MAYMOVE);
	ASSERT_NE(MAP_FAILED, m);
	m = mremap(m, 4 * MIB, 3 * MIB, 0);
	ASSERT_NE(MAP_FAILED, m);
	ASSERT_EQ(0, munmap(m, 3 * MIB));
	ASSERT_EQ(0, munmap(n, 5000));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(4 * MIB + 8 * KIB, p.tally.mmap_up_bytes);
	EXPECT_EQ(4 * MIB + 8 * KIB, p.tally.mmap_down_bytes);
	EXPECT_EQ(4 * MIB + 8 * KIB, p.tally.growth_peak_bytes);
	EXPECT_EQ(6, p.tally.nr_growth);
	EXPECT_EQ(0, p.tally.brk_up_bytes);
}

/* pkey_mprotect() without a key; mprotect() where the kernel has no keys (arm64) */
static int protect_by_key(void *addr, size_t bytes, int prot)
{
	int err = syscall(SYS_pkey_mprotect, addr, bytes, prot, -1);

	return err && errno == ENOSYS ? mprotect(addr, bytes, prot) : err;
}

/* What changed since the last look: bytes, and -1 if it cannot be known. */
static int64_t grown(int fd)
{
	struct memprof_process p;

	if (session_look(fd, getpid(), &p) || session_counter(fd, "growth_overlapped"))
		return -1;
	return p.tally.mmap_up_bytes - p.tally.mmap_down_bytes;
}

TEST_F_TIMEOUT(growth, only_what_can_be_accessed_counts, TEST_TIMEOUT)
{
	const int rw = PROT_READ | PROT_WRITE;
	char *m = mmap(NULL, 64 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, m);
	EXPECT_EQ(0, grown(self->fd));
	ASSERT_EQ(0, mprotect(m, MIB, rw));
	EXPECT_EQ(MIB, grown(self->fd));
	/* the same again, another permission, and beyond */
	ASSERT_EQ(0, mprotect(m, MIB, rw));
	ASSERT_EQ(0, mprotect(m, 64 * KIB, PROT_READ));
	EXPECT_EQ(MIB, grown(self->fd));
	ASSERT_EQ(0, mprotect(m + 512 * KIB, MIB, rw));
	EXPECT_EQ(MIB + 512 * KIB, grown(self->fd));
	/* a hole in what can be accessed */
	ASSERT_EQ(0, mprotect(m + 256 * KIB, 256 * KIB, PROT_NONE));
	EXPECT_EQ(MIB + 256 * KIB, grown(self->fd));
	ASSERT_EQ(0, protect_by_key(m + 256 * KIB, 128 * KIB, rw));
	EXPECT_EQ(MIB + 384 * KIB, grown(self->fd));
	/* committed by a mapping, as some allocators do, and reserved again */
	ASSERT_EQ(m + 8 * MIB, map(m + 8 * MIB, MIB, MAP_FIXED));
	EXPECT_EQ(2 * MIB + 384 * KIB, grown(self->fd));
	ASSERT_EQ(m + 8 * MIB, mmap(m + 8 * MIB, MIB, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	EXPECT_EQ(MIB + 384 * KIB, grown(self->fd));
	/* a move of what is reserved */
	ASSERT_EQ(m + 32 * MIB, mremap(m + 16 * MIB, MIB, MIB,
				       MREMAP_MAYMOVE | MREMAP_FIXED, m + 32 * MIB));
	EXPECT_EQ(MIB + 384 * KIB, grown(self->fd));
	ASSERT_EQ(0, munmap(m, 64 * MIB));
	EXPECT_EQ(0, grown(self->fd));
}

TEST_F_TIMEOUT(growth, what_madvise_gives_back_is_no_growth, TEST_TIMEOUT)
{
	struct memprof_process p;
	struct memprof_cgroup c;
	char *m = map(NULL, MIB, 0);

	ASSERT_NE(MAP_FAILED, m);
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(0, p.advised_bytes);
	ASSERT_EQ(0, madvise(m, MIB, MADV_DONTNEED));
	ASSERT_EQ(0, madvise(m, 5000, MADV_FREE));	/* two pages */
	/* not these: other advice, and two that are refused */
	ASSERT_EQ(0, madvise(m, MIB, MADV_RANDOM));
	ASSERT_EQ(-1, madvise(m + 1, MIB, MADV_DONTNEED));
	ASSERT_EQ(-1, madvise(m, MIB, 12345));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(MIB + 8 * KIB, p.advised_bytes);
	EXPECT_EQ(MIB, p.tally.mmap_up_bytes);
	EXPECT_EQ(0, p.tally.mmap_down_bytes);
	EXPECT_EQ(1, p.tally.nr_growth);
	ASSERT_EQ(0, session_cgroup(self->fd, p.cgroup, &c));
	EXPECT_EQ(MIB + 8 * KIB, c.advised_bytes);
	/* a reset begins at 0 */
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(0, p.advised_bytes);
	munmap(m, MIB);
}

TEST_F_TIMEOUT(growth, segments_count_while_they_are_attached, TEST_TIMEOUT)
{
	int id = shmget(IPC_PRIVATE, 5 * MIB, IPC_CREAT | 0600);
	void *a, *b;

	ASSERT_LE(0, id);
	a = shmat(id, NULL, 0);
	b = shmat(id, NULL, SHM_RDONLY);
	shmctl(id, IPC_RMID, NULL);
	ASSERT_NE((void *)-1, a);
	ASSERT_NE((void *)-1, b);
	EXPECT_EQ(10 * MIB, grown(self->fd));
	ASSERT_EQ(0, shmdt(a));
	EXPECT_EQ(5 * MIB, grown(self->fd));
	ASSERT_EQ(0, shmdt(b));
	EXPECT_EQ(0, grown(self->fd));
	EXPECT_EQ(-1, shmdt(b));
	EXPECT_EQ(0, grown(self->fd));
}

static __attribute__((noinline)) int deep(int n)
{
	volatile char frame[8 * KIB];

	frame[0] = n;
	return n ? deep(n - 1) + frame[0] : 0;
}

TEST_F_TIMEOUT(growth, stacks_of_first_threads_grow, TEST_TIMEOUT)
{
	deep(100);
	EXPECT_LE(512 * KIB, grown(self->fd));
	EXPECT_GE(1024 * KIB, grown(self->fd));
}

TEST_F_TIMEOUT(growth, ranges_with_very_many_mappings_are_estimated, TEST_TIMEOUT)
{
	const long nr = 5000;
	struct memprof_process p;
	char *m = map(NULL, nr * 4 * KIB, 0);
	long i;

	ASSERT_NE(MAP_FAILED, m);
	for (i = 0; i < nr; i += 2)
		ASSERT_EQ(0, mprotect(m + i * 4 * KIB, 4 * KIB, PROT_READ));
	EXPECT_EQ(nr * 4 * KIB, grown(self->fd));
	ASSERT_EQ(0, munmap(m, nr * 4 * KIB));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(1, session_counter(self->fd, "growth_overlapped"));
	EXPECT_EQ(p.tally.mmap_up_bytes, p.tally.mmap_down_bytes);
}

TEST_F_TIMEOUT(growth, replacing_and_holes_count_what_changed, TEST_TIMEOUT)
{
	struct memprof_process p;
	char *m = map(NULL, 16 * KIB, 0), *n;

	ASSERT_NE(MAP_FAILED, m);
	/* map the same place again, then half of it, then unmap across its end */
	ASSERT_EQ(m, map(m, 16 * KIB, MAP_FIXED));
	ASSERT_EQ(m, map(m, 8 * KIB, MAP_FIXED));
	ASSERT_EQ(0, munmap(m + 4 * KIB, 8 * KIB));
	/* unmap a range with a hole, which still contains 4 + 4 KiB */
	ASSERT_EQ(0, munmap(m, 16 * KIB));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(16 * KIB, p.tally.mmap_up_bytes);
	EXPECT_EQ(16 * KIB, p.tally.mmap_down_bytes);
	EXPECT_EQ(3, p.tally.nr_growth);

	/* mremap() onto a mapping: one of two mappings is left */
	m = map(NULL, 64 * KIB, 0);
	n = map(NULL, 64 * KIB, 0);
	ASSERT_EQ(n, mremap(m, 64 * KIB, 64 * KIB,
			    MREMAP_MAYMOVE | MREMAP_FIXED, n));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(144 * KIB, p.tally.mmap_up_bytes);
	EXPECT_EQ(80 * KIB, p.tally.mmap_down_bytes);
	EXPECT_EQ(0, session_counter(self->fd, "growth_overlapped"));
	munmap(n, 64 * KIB);
}

static int64_t populated(int fd)
{
	return session_snapshot(fd, 0) ? -1 : session_counter(fd, "growth_populated");
}

TEST_F_TIMEOUT(growth, pages_that_need_no_fault_are_counted_by_name, TEST_TIMEOUT)
{
	EXPECT_EQ(0, populated(self->fd));
	munmap(map(NULL, 64 * KIB, MAP_POPULATE), 64 * KIB);
	EXPECT_EQ(1, populated(self->fd));
	munmap(map(NULL, 64 * KIB, 0), 64 * KIB);
	EXPECT_EQ(1, populated(self->fd));
	ASSERT_EQ(0, mlockall(MCL_FUTURE));
	munmap(map(NULL, 64 * KIB, 0), 64 * KIB);
	munlockall();
	EXPECT_EQ(2, populated(self->fd));
}

TEST_F_TIMEOUT(growth, cutting_off_a_hole_counts_what_was_there, TEST_TIMEOUT)
{
	struct memprof_process p;
	char *lonely = (char *)(1L << 40);
	char *m = map(lonely, 64 * KIB, MAP_FIXED_NOREPLACE);

	ASSERT_EQ(lonely, m);
	/* the kernel does not check whether so much was mapped */
	ASSERT_EQ(m, mremap(m, 1L << 36, 4 * KIB, 0));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(64 * KIB, p.tally.mmap_up_bytes);
	EXPECT_EQ(60 * KIB, p.tally.mmap_down_bytes);
	munmap(m, 4 * KIB);
}

TEST_F_TIMEOUT(growth, failed_calls_change_nothing_and_are_counted,
	       TEST_TIMEOUT)
{
	struct memprof_process p;
	int64_t before;

	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	before = session_counter(self->fd, "growth_failed");
	EXPECT_EQ(MAP_FAILED, map(NULL, 0, 0));
	EXPECT_EQ(MAP_FAILED, map(NULL, 1UL << 60, 0));
	EXPECT_EQ(-1, munmap((void *)1, 4096));
	EXPECT_EQ(MAP_FAILED, mremap((void *)4096, 4096, 8192, 0));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(0, p.tally.nr_growth);
	EXPECT_EQ(before + 4, session_counter(self->fd, "growth_failed"));
}

#ifdef __x86_64__
/* Makes a system call like a 32-bit program. */
static long int80(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b),
		     "d"(c), "S"(0), "D"(0) : "memory", "r8", "r9", "r10",
		     "r11");
	return ret & 0xffffffff;
}

TEST_F_TIMEOUT(growth, calls_of_32_bit_programs_count, TEST_TIMEOUT)
{
	struct memprof_process p;
	char *m = map(NULL, MIB, MAP_32BIT);

	ASSERT_NE(MAP_FAILED, m);
	/* munmap the first half, mremap the rest to a quarter */
	ASSERT_EQ(0, int80(91, (long)m, 512 * KIB, 0));
	ASSERT_EQ((long)m + 512 * KIB,
		  int80(163, (long)m + 512 * KIB, 512 * KIB, 256 * KIB));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(MIB, p.tally.mmap_up_bytes);
	EXPECT_EQ(768 * KIB, p.tally.mmap_down_bytes);
	/* mprotect */
	ASSERT_EQ(0, int80(125, (long)m + 512 * KIB, 128 * KIB, PROT_NONE));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(896 * KIB, p.tally.mmap_down_bytes);
	munmap(m + 512 * KIB, 256 * KIB);
}
#endif

#define THREADS 4
#define ROUNDS 300

static void *map_and_unmap(void *arg)
{
	long i, size = ((long)arg + 1) * 16 * KIB;

	for (i = 0; i < ROUNDS; i++) {
		void *m = map(NULL, size, 0);

		if (m == MAP_FAILED || munmap(m, size))
			return (void *)1;
	}
	return NULL;
}

/* The threads get our own stacks, so that libc maps none for them. */
static int run_threads(pthread_t *t, void *(*work)(void *))
{
	static char stacks[THREADS][128 * KIB] __attribute__((aligned(4096)));
	pthread_attr_t attr;
	long i;

	for (i = 0; i < THREADS; i++) {
		pthread_attr_init(&attr);
		if (pthread_attr_setstack(&attr, stacks[i], sizeof(stacks[i])) ||
		    pthread_create(&t[i], &attr, work, (void *)i))
			return -1;
	}
	return 0;
}

static int join_threads(pthread_t *t)
{
	void *failed;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_join(t[i], &failed) || failed)
			return -1;
	return 0;
}

/* Bytes that all threads together map, and then unmap. */
#define SUM (THREADS * (THREADS + 1) / 2 * 16 * KIB * ROUNDS)

TEST_F_TIMEOUT(growth, threads_at_once_add_up_exactly, TEST_TIMEOUT)
{
	struct memprof_process p;
	pthread_t t[THREADS];

	ASSERT_EQ(0, run_threads(t, map_and_unmap));
	ASSERT_EQ(0, join_threads(t));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(0, session_counter(self->fd, "growth_missed"));
	EXPECT_EQ(SUM, p.tally.mmap_up_bytes);
	EXPECT_EQ(SUM, p.tally.mmap_down_bytes);
	EXPECT_EQ(2 * THREADS * ROUNDS, p.tally.nr_growth);
}

static void *move_break(void *arg)
{
	char *brk = (char *)syscall(SYS_brk, 0);
	long i;

	for (i = 0; i < ROUNDS; i++)
		syscall(SYS_brk, brk + (i % 7 + (long)arg) * 4 * KIB);
	return NULL;
}

TEST_F_TIMEOUT(growth, threads_that_move_the_break_add_up_exactly, TEST_TIMEOUT)
{
	long before = syscall(SYS_brk, 0), after;
	struct memprof_process p;
	pthread_t t[THREADS];

	ASSERT_EQ(0, run_threads(t, move_break));
	ASSERT_EQ(0, join_threads(t));
	after = syscall(SYS_brk, 0);
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_LT(0, p.tally.brk_up_bytes);
	EXPECT_EQ(after - before,
		  (long)(p.tally.brk_up_bytes - p.tally.brk_down_bytes));
}

TEST_F_TIMEOUT(growth, snapshots_with_reset_add_up, TEST_TIMEOUT)
{
	uint64_t up = 0, down = 0, nr = 0;
	struct memprof_process p;
	pthread_t t[THREADS];
	int i;

	ASSERT_EQ(0, run_threads(t, map_and_unmap));
	for (i = 0; i < 50; i++) {
		if (i == 49)
			ASSERT_EQ(0, join_threads(t));
		ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
		ASSERT_EQ(0, session_process(self->fd, getpid(), 0, &p));
		up += p.tally.mmap_up_bytes;
		down += p.tally.mmap_down_bytes;
		nr += p.tally.nr_growth;
	}
	EXPECT_EQ(SUM, up);
	EXPECT_EQ(SUM, down);
	EXPECT_EQ(2 * THREADS * ROUNDS, nr);
}

TEST_HARNESS_MAIN
