// SPDX-License-Identifier: GPL-2.0-only
/*
 * sparse: has six living blocks of 16 GiB, one page in each GiB of which is touched, and
 * COUNT times two mappings of a page; says "ready", and ends with its input
 *
 *	sparse COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE	4096

static void block(void)
{
	volatile char *p = malloc(16UL << 30);
	size_t i;

	if (!p)
		exit(1);
	for (i = 0; i < 16; i++)
		p[i << 30] = 1;
}

/* The half that cannot be written is a mapping of its own. */
static void map(void)
{
	char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED || mprotect(p, PAGE, PROT_READ))
		exit(1);
	p[PAGE] = 1;
}

int main(int argc, char **argv)
{
	long i, nr = argc > 1 ? atol(argv[1]) : 0;

	for (i = 0; i < 6; i++)
		block();
	for (i = 0; i < nr; i++)
		map();
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
