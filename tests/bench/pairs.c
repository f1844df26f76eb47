// SPDX-License-Identifier: GPL-2.0-only
/* pairs N: prints the nanoseconds of a malloc(64) and its free, mean of N. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long i, n = argc > 1 ? atol(argv[1]) : 100000;
	double start = now_ns();

	for (i = 0; i < n; i++) {
		void *volatile p = malloc(64);

		free(p);
	}
	printf("%.1f\n", (now_ns() - start) / n);
	return 0;
}
