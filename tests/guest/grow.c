// SPDX-License-Identifier: GPL-2.0-only
/*
 * grow MIB [SECONDS]: maps and touches MIB of memory without huge pages, prints
 * its address, and sleeps. For tests that know the expected numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t size = (size_t)atol(argc > 1 ? argv[1] : "0") << 20;
	char *m = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m == MAP_FAILED)
		return 1;
	madvise(m, size, MADV_NOHUGEPAGE);
	memset(m, 1, size);
	printf("%p\n", m);
	fflush(stdout);
	sleep(argc > 2 ? atoi(argv[2]) : 0);
	return 0;
}
