// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocates blocks in huge pages and in small ones, in functions of known names: large() has
 * 16 blocks of 2 MB with MADV_HUGEPAGE, of which 8 are touched, small() 4 blocks of 2 MB with
 * MADV_NOHUGEPAGE, all touched. Then it says "ready", and waits for a line.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_BYTES	(2UL << 20)
#define NOINLINE	__attribute__((noinline))

static NOINLINE void large(void)
{
	char *block;
	int i;

	for (i = 0; i < 16; i++) {
		block = aligned_alloc(HUGE_BYTES, HUGE_BYTES);
		madvise(block, HUGE_BYTES, MADV_HUGEPAGE);
		if (i % 2)
			memset(block, 1, HUGE_BYTES);
	}
}

static NOINLINE void small(void)
{
	char *block;
	int i;

	for (i = 0; i < 4; i++) {
		block = aligned_alloc(HUGE_BYTES, HUGE_BYTES);
		madvise(block, HUGE_BYTES, MADV_NOHUGEPAGE);
		memset(block, 1, HUGE_BYTES);
	}
}

int main(void)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		return 1;
	large();
	small();
	puts("ready");
	fflush(stdout);
	return !fgets(line, sizeof(line), stdin);
}
