// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps memory that it uses, and memory that it does not use any more, of blocks that it
 * allocates in functions of known names: used() and unused(), NR blocks of 1 MB each.
 * It waits for a line, touches all of both, says "ready", and then touches the blocks of
 * used() only, until its input ends. With the argument "far", the blocks of unused() are
 * on the second NUMA node. There are no huge pages: who makes one touches its pages.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR		8
#define MIB		(1UL << 20)
#define PAGE		4096UL
#define MPOL_DEFAULT	0
#define MPOL_BIND	2
#define NOINLINE	__attribute__((noinline))

static char *hot[NR], *cold[NR];

static NOINLINE void used(void)
{
	int i;

	for (i = 0; i < NR; i++)
		hot[i] = memset(malloc(MIB), 1, MIB);
}

static NOINLINE void unused(void)
{
	int i;

	for (i = 0; i < NR; i++)
		cold[i] = memset(malloc(MIB), 1, MIB);
}

/*
 * A processor does not mark a page again that its TLB has, and an emulated one keeps all.
 * To unmap more than 33 pages empties it.
 */
static void empty_tlb(void)
{
	char *pages = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(1);
	memset(pages, 1, 64 * PAGE);
	munmap(pages, 64 * PAGE);
}

static void touch(void)
{
	size_t at;
	int i;

	for (i = 0; i < NR; i++)
		for (at = 0; at < MIB; at += PAGE)
			++*(volatile char *)&hot[i][at];
}

int main(int argc, char **argv)
{
	unsigned long second = 1UL << 1;
	bool far = argc > 1 && !strcmp(argv[1], "far");
	struct pollfd input = { .fd = 0, .events = POLLIN };
	char line[64];

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	used();
	if (far && syscall(SYS_set_mempolicy, MPOL_BIND, &second, 8 * sizeof(second)))
		return 1;
	unused();
	if (far && syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0))
		return 1;
	puts("ready");
	fflush(stdout);
	while (!poll(&input, 1, 2)) {
		empty_tlb();
		touch();
	}
	return 0;
}
