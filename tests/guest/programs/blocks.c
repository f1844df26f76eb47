// SPDX-License-Identifier: GPL-2.0-only
/*
 * blocks N: waits, then allocates an array of N + 1 pointers and N blocks of 128
 * bytes, frees every other one, and leaves the rest.
 */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long i, n = argc > 1 ? atol(argv[1]) : 0;
	void *volatile *p;

	sleep(3);		/* be found first */
	p = malloc((n + 1) * sizeof(*p));
	for (i = 0; i < n; i++)
		p[i] = malloc(128);
	for (i = 0; i < n; i += 2)
		free(p[i]);
	return 0;
}
