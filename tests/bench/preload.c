// SPDX-License-Identifier: GPL-2.0-only
/*
 * preload tight N | deep N | churn N THREADS: nanoseconds a pair of malloc and free,
 * and the most kilobytes that were resident. deep: below ten callers. With BENCH_WAITS in
 * its environment, it prints a line first, and begins when its standard input ends.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define LIVE 100000

static long rounds;

static void tight(void)
{
	void *volatile p;
	long i;

	for (i = 0; i < rounds; i++) {
		p = malloc(64);
		free(p);
	}
}

static __attribute__((noinline)) void deep(int left)
{
	if (left)
		deep(left - 1);
	else
		tight();
	__asm__ volatile("");
}

/* A random block is freed, and one of another size takes its place. */
static void *churn(void *arg)
{
	void **blocks = calloc(LIVE, sizeof(*blocks));
	uint64_t r = (uintptr_t)arg + 1;
	long i, n;

	for (i = 0; i < rounds + LIVE; i++) {
		r = r * 6364136223846793005ULL + 1442695040888963407ULL;
		n = i < LIVE ? i : (long)((r >> 33) % LIVE);
		free(blocks[n]);
		blocks[n] = malloc(8 + (r >> 20 & 0xffff) % 65529);
	}
	for (n = 0; n < LIVE; n++)
		free(blocks[n]);
	free(blocks);
	return NULL;
}

static void churn_threads(long nr)
{
	pthread_t threads[16];
	long i;

	for (i = 1; i < nr; i++)
		pthread_create(&threads[i], NULL, churn, (void *)i);
	churn(NULL);
	for (i = 1; i < nr; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	struct timespec a, b;
	struct rusage usage;
	long pairs;

	if (argc < 3)
		return 2;
	rounds = pairs = atol(argv[2]);
	if (getenv("BENCH_WAITS")) {
		puts("ready");
		fflush(stdout);
		while (getchar() != EOF)
			;
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (!strcmp(argv[1], "tight")) {
		tight();
	} else if (!strcmp(argv[1], "deep")) {
		deep(10);
	} else {
		churn_threads(atol(argv[3]));
		pairs += LIVE;
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.3f %ld\n", ((b.tv_sec - a.tv_sec) * 1e9 +
	       (b.tv_nsec - a.tv_nsec)) / pairs, usage.ru_maxrss);
	return 0;
}
