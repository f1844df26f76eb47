/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree [NUMBER [stop|- [SECONDS]]]: allocates 2 * NUMBER blocks in known functions. With
 * "stop" the program stops itself before the first block. With SECONDS it prints "ready"
 * after the last block and sleeps. A comment with an @ marks a line that is in stacks.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static void *volatile keep[64];

NOINLINE static void *leaf(size_t size)
{
	void *block = malloc(size);	/* @leaf */

	keep[0] = block;
	return block;
}

NOINLINE static void *middle(size_t size)
{
	void *block = leaf(size);	/* @middle */

	keep[1] = block;
	return block;
}

NOINLINE static void *other(size_t size)
{
	void *block = leaf(size + 1000);	/* @other */

	keep[2] = block;
	return block;
}

int main(int argc, char **argv)
{
	int i, nr = argc > 1 ? atoi(argv[1]) : 10;

	if (argc > 2 && !strcmp(argv[2], "stop"))
		raise(SIGSTOP);
	for (i = 0; i < nr; i++)
		keep[3 + i % 32] = middle(1000);	/* @main */
	for (i = 0; i < nr; i++)
		keep[3 + i % 32] = other(1000);	/* @again */
	if (argc > 3) {
		puts("ready");
		fflush(stdout);
		sleep(atoi(argv[3]));
	}
	return 0;
}
