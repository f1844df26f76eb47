// SPDX-License-Identifier: GPL-2.0-only
/*
 * resident: has COUNT living blocks of 4000 bytes, all touched, and goes on touching them;
 * prints how many it touches in each tenth of a second
 *
 *	resident COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SIZE	4000
#define TENTH	100000000ULL

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	const size_t nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	char **blocks = calloc(nr + 1, sizeof(*blocks));
	unsigned long long end, count;
	size_t i;

	if (!nr || !blocks)
		return 1;
	for (i = 0; i < nr; i++) {
		blocks[i] = malloc(SIZE);
		if (!blocks[i])
			return 1;
		blocks[i][SIZE / 2] = 1;
	}
	for (i = 0;;) {
		end = now_ns() + TENTH;
		for (count = 0; now_ns() < end; count += 64) {
			int n;

			for (n = 0; n < 64; n++) {
				i = (i * 6364136223846793005ULL + 1442695040888963407ULL) % nr;
				blocks[i][SIZE / 2]++;
			}
		}
		if (printf("%llu\n", count) < 0 || fflush(stdout))
			return 0;
	}
}
