// SPDX-License-Identifier: GPL-2.0-only
/*
 * c-library: calls six functions of the C library that allocate, each 100 times. A
 * child process does the same. Prints "done" at the end.
 */
#include <malloc.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void allocate(void)
{
	void *volatile p;
	void *q;
	int i;

	for (i = 0; i < 100; i++) {
		p = realloc(malloc(1000), 2000);
		free(p);
		p = calloc(10, 100);
		free(p);
		if (!posix_memalign(&q, 64, 1000))
			free(q);
		p = aligned_alloc(64, 1024);
		free(p);
		p = memalign(64, 1000);
		free(p);
	}
}

int main(void)
{
	int status = 1;
	pid_t child;

	allocate();
	child = fork();
	if (!child) {
		allocate();
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (status)
		return 1;
	return write(1, "done\n", 5) != 5;
}
