// SPDX-License-Identifier: GPL-2.0-only
/*
 * Touches new pages in functions of the C library: malloc(), memset(), strcpy(). No function
 * ends with a call, which would replace it on the stack.
 */
#include <stdlib.h>
#include <string.h>

#define MIB	(1UL << 20)

static char *last;

static __attribute__((noinline)) void keep(void)
{
	size_t i;

	for (i = 0; i < 64 * MIB / 512; i++)
		last = malloc(500);
}

static __attribute__((noinline)) void clear(size_t size)
{
	last = malloc(size);
	memset(last, 1, size);
	last[0] = 2;
}

static __attribute__((noinline)) void copy(size_t size)
{
	char *to = malloc(size);

	last[size - 1] = '\0';
	strcpy(to, last);
	last = to;
}

int main(void)
{
	keep();
	clear(64 * MIB);
	copy(64 * MIB);
	return !last[0];
}
