// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps pages in known states, of blocks that it allocates in functions of known names.
 *
 * survives(): NR_SMALL / 64 blocks of 112 bytes, every 64th of a row; the others, of
 * dies(), are freed. A chunk of glibc has 16 bytes more, so there are 32 on a page, and a
 * survivor on every second page.
 * halves(): 16 blocks of 1 MB, of which the first half is touched.
 * returns(): 8 blocks of 1 MB, touched; the pages inside of 4 are given back.
 * lazy(): 4 blocks of 1 MB, touched, then MADV_FREE: they stay until memory is short.
 * Then it says "ready", and reads a line: "fork" forks a child that writes to what
 * halves() touched, "done" ends it.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NR_SMALL	65536
#define SMALL		112
#define MIB		(1UL << 20)
#define PAGE		4096UL
#define NOINLINE	__attribute__((noinline))

static char *half[16];

static NOINLINE char *survives(void)
{
	return memset(malloc(SMALL), 1, SMALL);
}

static NOINLINE char *dies(void)
{
	return memset(malloc(SMALL), 1, SMALL);
}

static NOINLINE void halves(void)
{
	size_t i;

	for (i = 0; i < 16; i++) {
		half[i] = malloc(MIB);
		memset(half[i], 1, MIB / 2);
	}
}

static void advise_inside(char *block, int advice)
{
	uintptr_t start = ((uintptr_t)block + PAGE - 1) & ~(PAGE - 1);
	uintptr_t end = ((uintptr_t)block + MIB) & ~(PAGE - 1);

	madvise((void *)start, end - start, advice);
}

static NOINLINE void returns(void)
{
	char *block;
	int i;

	for (i = 0; i < 8; i++) {
		block = memset(malloc(MIB), 1, MIB);
		if (i % 2)
			advise_inside(block, MADV_DONTNEED);
	}
}

static NOINLINE void lazy(void)
{
	int i;

	for (i = 0; i < 4; i++)
		advise_inside(memset(malloc(MIB), 1, MIB), MADV_FREE);
}

static void keep_every_64th(void)
{
	static char *doomed[NR_SMALL];
	int i;

	for (i = 0; i < NR_SMALL; i++) {
		if (i % 64 == 0)
			survives();
		else
			doomed[i] = dies();
	}
	for (i = 0; i < NR_SMALL; i++)
		free(doomed[i]);
}

static void fork_child(void)
{
	size_t i;

	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (i = 0; i < 16; i++)
			memset(half[i], 2, MIB / 2);
		puts("forked");
		fflush(stdout);
		pause();
		_exit(0);
	}
}

int main(void)
{
	char line[16];

	/* huge pages would make resident what was not touched, some time later */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	mallopt(M_MMAP_THRESHOLD, 256 * 1024);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	keep_every_64th();
	halves();
	returns();
	lazy();
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "done\n"))
		if (!strcmp(line, "fork\n"))
			fork_child();
	return 0;
}
