// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocates known sums, and has no frame pointers: `sampled N` makes N blocks of 3000
 * bytes that stay, N of 2000 that are freed, and one of 8 MiB, each page of which is
 * touched by another function than the one that allocates it. With another argument
 * it begins when its standard input ends.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define BIG (8 << 20)

static char *volatile last;

static APART char *stays(void)
{
	last = malloc(3000);
	return last;
}

static APART char *goes(void)
{
	last = malloc(2000);
	return last;
}

static APART char *is_big(void)
{
	last = malloc(BIG);
	return last;
}

static APART void touches(volatile char *block)
{
	for (size_t i = 0; i < BIG; i += 4096)
		block[i] = 1;
}

int main(int argc, char **argv)
{
	long i, n = argc > 1 ? atol(argv[1]) : 0;

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	while (argc > 2 && read(0, &i, 1) > 0)
		;
	touches(is_big());
	for (i = 0; i < n; i++) {
		stays();
		free(goes());
	}
	return 7;
}
