// SPDX-License-Identifier: GPL-2.0-only
/*
 * blocks N [stop]: waits, then allocates an array of N + 1 pointers and N blocks
 * of 128 bytes, frees every other one, and leaves the rest. With a second word
 * it stops itself to wait, and once more before it ends.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long i, n = argc > 1 ? atol(argv[1]) : 0;
	void *volatile *p;

	/* be found first */
	if (argc > 2)
		raise(SIGSTOP);
	else
		sleep(3);
	p = malloc((n + 1) * sizeof(*p));
	for (i = 0; i < n; i++)
		p[i] = malloc(128);
	for (i = 0; i < n; i += 2)
		free(p[i]);
	if (argc > 2)
		raise(SIGSTOP);
	/* in a static program, an exit frees what libgcc allocated at its start */
	_exit(0);
}
