// SPDX-License-Identifier: GPL-2.0-only
// As blocks.c, with new and delete.
#include <csignal>
#include <cstdlib>
#include <unistd.h>

struct block {
	char bytes[128];
};

int main(int argc, char **argv)
{
	long i, n = argc > 1 ? atol(argv[1]) : 0;

	if (argc > 2)
		raise(SIGSTOP);
	else
		sleep(3);
	block *volatile *p = new block *volatile[n + 1];
	for (i = 0; i < n; i++)
		p[i] = new block;
	for (i = 0; i < n; i += 2)
		delete p[i];
	if (argc > 2)
		raise(SIGSTOP);
	return 0;
}
