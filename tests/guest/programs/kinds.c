// SPDX-License-Identifier: GPL-2.0-only
/*
 * kinds N: N rounds of one call to each kind of allocator function. It stops
 * itself before, to be found, and after, to be looked at.
 *
 * A round allocates 9 blocks and 1594 bytes and frees all but the first, 100
 * bytes, at its end; realloc counts as an allocation and a free. So do N rounds,
 * with their array of N + 1 pointers:
 *	allocations	9 N + 1
 *	bytes		1602 N + 8
 *	frees		8 N
 *	in use after	108 N + 8
 *	peak		108 N + 8 + 1134
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the compiler cannot follow: it would leave out what nobody uses. */
static void *volatile blocks[6];

static void one_round(void)
{
	void *aligned = NULL;
	int i;

	blocks[0] = calloc(3, 50);
	blocks[1] = realloc(NULL, 60);
	blocks[1] = realloc(blocks[1], 300);
	blocks[1] = reallocarray(blocks[1], 5, 80);
	if (!posix_memalign(&aligned, 64, 200))
		blocks[2] = aligned;
	blocks[3] = aligned_alloc(64, 256);
	blocks[4] = memalign(32, 96);
	/* a call from inside the C library */
	blocks[5] = strdup("thirty-one letters and a nought");
	for (i = 0; i < 6; i++)
		free(blocks[i]);
}

int main(int argc, char **argv)
{
	long i, n = argc > 1 ? atol(argv[1]) : 0;
	void *volatile *p;

	raise(SIGSTOP);
	p = malloc((n + 1) * sizeof(*p));
	for (i = 0; i < n; i++) {
		p[i] = malloc(100);
		one_round();
	}
	raise(SIGSTOP);
	/* in a static program, an exit frees what libgcc allocated at its start */
	_exit(0);
}
