// SPDX-License-Identifier: GPL-2.0-only
/*
 * peak [THREADS]: holds 6000000 bytes at its peak, of first() and stays(), and frees all
 * but 300000 bytes of late(). With THREADS, each thread allocates and frees 20000 blocks
 * of 1 to 4000 bytes in churn() before that, and keeps up to 50 of them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define NR	100

static void *volatile blocks[NR];
static void *volatile kept;

NOINLINE static void first(void)
{
	int i;

	for (i = 0; i < NR; i++)
		blocks[i] = malloc(50000);
}

NOINLINE static void second(void)
{
	int i;

	for (i = 0; i < NR; i++)
		blocks[i] = malloc(20000);
}

NOINLINE static void *stays(void)
{
	void *volatile block = malloc(1000000);

	return block;
}

NOINLINE static void late(void)
{
	kept = malloc(300000);
}

static void free_all(void)
{
	int i;

	for (i = 0; i < NR; i++)
		free(blocks[i]);
}

NOINLINE static void *churn(void *unused)
{
	void *mine[50] = { NULL };
	uint32_t random = (uint32_t)(uintptr_t)&mine;
	int i, k;

	for (i = 0; i < 20000; i++) {
		random = random * 1664525 + 1013904223;
		k = (int)(random >> 16) % 50;
		free(mine[k]);
		mine[k] = malloc(1 + (random >> 8) % 4000);
	}
	for (k = 0; k < 50; k++)
		free(mine[k]);
	return unused;
}

static void run_threads(int nr)
{
	pthread_t threads[64];
	int i;

	for (i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, churn, NULL);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	void *block = stays();

	if (argc > 1)
		run_threads(atoi(argv[1]));
	first();
	free_all();
	second();
	free_all();
	free(block);
	late();
	return 0;
}
