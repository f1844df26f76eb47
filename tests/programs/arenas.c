// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grows in several threads, or by calls for address space; the growth is known.
 *
 * "arenas threads T N [stop]": T threads allocate a block each, and then, in holds(), N
 * blocks of 1000 bytes, and touch them. In between, with "stop", it stops itself. Prints
 * the bytes by which its resident memory grew in holds().
 * "arenas calls": makes calls in functions whose names say what their growth is.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>

#define PAGE		4096UL
#define MIB		(1UL << 20)
#define SIZE		1000
#define NOINLINE	__attribute__((noinline))

static pthread_barrier_t ready, go, done, leave;
static long nr_blocks;
static bool stops;

static NOINLINE void holds(long n)
{
	while (n--)
		memset(malloc(SIZE), 1, SIZE);
}

static NOINLINE void begins(void)
{
	memset(malloc(SIZE), 1, SIZE);
}

static void *work(void *unused)
{
	begins();
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	holds(nr_blocks);
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&leave);
	return unused;
}

/* Resident private memory, in bytes, as the kernel counts page by page. */
static long anonymous(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	char line[128];
	long kb = -1;

	while (kb < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "Anonymous: %ld kB", &kb);
	fclose(file);
	return kb * 1024;
}

static int threads(int nr)
{
	pthread_t list[64];
	long before;
	int i;

	pthread_barrier_init(&ready, NULL, nr + 1);
	pthread_barrier_init(&go, NULL, nr + 1);
	pthread_barrier_init(&done, NULL, nr + 1);
	pthread_barrier_init(&leave, NULL, nr + 1);
	for (i = 0; i < nr; i++)
		pthread_create(&list[i], NULL, work, NULL);
	pthread_barrier_wait(&ready);
	if (stops)
		raise(SIGSTOP);
	before = anonymous();
	pthread_barrier_wait(&go);
	pthread_barrier_wait(&done);
	printf("%ld\n", anonymous() - before);
	pthread_barrier_wait(&leave);
	for (i = 0; i < nr; i++)
		pthread_join(list[i], NULL);
	return 0;
}

/* macros, so that the calls are in the functions that are named after their growth */
#define MAP(size, prot, flags, at)						\
	mmap(at, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | (flags), -1, 0)
#define RW	(PROT_READ | PROT_WRITE)

/* nothing stays of it, and it is never more than 1 MiB */
static NOINLINE void again_0(void)
{
	int i;

	for (i = 0; i < 1000; i++)
		munmap(MAP(MIB, RW, 0, NULL), MIB);
}

static NOINLINE char *reserve_0(void)
{
	return MAP(64 * MIB, PROT_NONE, MAP_NORESERVE, NULL);
}

/* 8 MiB in, of which 1 MiB out, and 2 MiB in that are in already */
static NOINLINE void commit_7(char *p)
{
	mprotect(p, 8 * MIB, RW);
	mprotect(p + MIB, 2 * MIB, PROT_READ);
	mprotect(p, MIB, PROT_NONE);
}

/* over 4 MiB of the 7, and 4 MiB that were reserved */
static NOINLINE void over_4(char *p)
{
	MAP(8 * MIB, RW, MAP_FIXED, p + 4 * MIB);
}

/* over 3 MiB that can be accessed: takes them */
static NOINLINE void under_3(char *p)
{
	MAP(8 * MIB, PROT_NONE, MAP_FIXED, p + 9 * MIB);
}

/* 8 MiB are left; those around them were reserved only */
static NOINLINE void unmap_8(char *p)
{
	munmap(p, 64 * MIB);
}

/* a range that stays mapped, and one whose pages stay */
static NOINLINE void advise_2(void)
{
	char *p = MAP(3 * MIB, RW, 0, NULL);

	memset(p, 1, 3 * MIB);
	madvise(p, 2 * MIB, MADV_DONTNEED);
	madvise(p + 2 * MIB, MIB, MADV_WILLNEED);
}

/* 3 MiB in 3 places, of which one goes with the hole between them */
static NOINLINE void holes_2(void)
{
	char *p = MAP(5 * MIB, RW, 0, NULL);

	munmap(p + MIB, MIB);
	munmap(p + 3 * MIB, MIB);
	munmap(p + MIB, 2 * MIB);
}

static NOINLINE void move_6(void)
{
	char *p = MAP(4 * MIB, RW, 0, NULL);

	/* not to be joined with what is behind it */
	p = mremap(p, 4 * MIB, 7 * MIB, MREMAP_MAYMOVE);
	p = mremap(p, 7 * MIB, 6 * MIB, 0);
	/* reserved memory is reserved memory elsewhere, too */
	p = MAP(MIB, PROT_NONE, 0, NULL);
	mremap(p, MIB, 2 * MIB, MREMAP_MAYMOVE);
}

/* fails: nothing changes */
static NOINLINE void fails_0(void)
{
	char *p = MAP(2 * MIB, RW, 0, NULL);

	MAP(PAGE, PROT_NONE, MAP_FIXED, p + MIB);
	mremap(p, MIB, 2 * MIB, 0);
	munmap(p + 1, MIB);
	munmap(p, 2 * MIB);
}

static NOINLINE void *share_5(void)
{
	int id = shmget(IPC_PRIVATE, 5 * MIB, IPC_CREAT | 0600);
	void *p = shmat(id, NULL, 0);

	shmctl(id, IPC_RMID, NULL);
	return p;
}

static NOINLINE void unshare_5(void *p)
{
	shmdt(p);
}

/* the stack: 200 frames of 8 KiB below the 128 KiB that exec made */
static NOINLINE int recurse(int n)
{
	volatile char frame[8192];

	frame[0] = (char)n;
	return n ? recurse(n - 1) + frame[0] : 0;
}

static int calls(void)
{
	void *segment;
	char *p;

	again_0();
	p = reserve_0();
	commit_7(p);
	over_4(p);
	under_3(p);
	unmap_8(p);
	advise_2();
	holes_2();
	move_6();
	fails_0();
	segment = share_5();
	unshare_5(segment);
	share_5();
	return recurse(200) == 1;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "calls"))
		return calls();
	if (argc < 4 || atoi(argv[2]) > 64 || strcmp(argv[1], "threads"))
		return 2;
	nr_blocks = atol(argv[3]);
	stops = argv[4];
	return threads(atoi(argv[2]));
}
