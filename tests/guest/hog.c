// SPDX-License-Identifier: GPL-2.0-only
/*
 * hog BYTES MICROSECONDS: allocates and fills blocks of BYTES for ever, one after each sleep,
 * beside a little that it takes elsewhere. For tests that know who is to blame.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile kept;

__attribute__((noinline)) static void keep_all(size_t size)
{
	char *block = malloc(size);

	if (!block)
		exit(1);
	memset(block, 1, size);
	kept = block;
}

__attribute__((noinline)) static void keep_little(size_t size)
{
	char *block = malloc(size / 16);

	if (!block)
		exit(1);
	memset(block, 1, size / 16);
	kept = block;
}

int main(int argc, char **argv)
{
	const size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) : 1 << 20;
	const useconds_t sleep_us = argc > 2 ? (useconds_t)atol(argv[2]) : 10000;

	for (;;) {
		keep_all(size);
		keep_little(size);
		usleep(sleep_us);
	}
}
