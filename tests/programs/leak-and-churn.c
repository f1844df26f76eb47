// SPDX-License-Identifier: GPL-2.0-only
/*
 * leak-and-churn [SECONDS [BYTES]]: leaks 24 KB each 50 ms, beside blocks that come and go
 *
 * The latter have between 0 and 100 MB together, at random. It prints the time and the
 * bytes that it has leaked. With SECONDS, nothing leaks until so many have passed; "never":
 * nothing leaks. BYTES: how much leaks each 50 ms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NR_BLOCKS	100

static void *blocks[NR_BLOCKS];
void *volatile latest;

__attribute__((noinline)) static void leak_it(size_t size)
{
	latest = memset(malloc(size), 1, size);
}

__attribute__((noinline)) static void *churn_block(void)
{
	return memset(malloc(1 << 20), 1, 1 << 20);
}

/* How many blocks there are is random, too. */
static void churn(void)
{
	const int wanted = rand() % (NR_BLOCKS + 1);
	int i;

	for (i = 0; i < NR_BLOCKS; i++) {
		if (blocks[i] && (i >= wanted || rand() % 4 == 0)) {
			free(blocks[i]);
			blocks[i] = NULL;
		}
		if (!blocks[i] && i < wanted)
			blocks[i] = churn_block();
	}
}

int main(int argc, char **argv)
{
	const time_t begin = time(NULL);
	const int wait = argc > 1 && strcmp(argv[1], "never") ? atoi(argv[1]) : 0;
	const int never = argc > 1 && !strcmp(argv[1], "never");
	const size_t size = argc > 2 ? (size_t)atol(argv[2]) : 24 << 10;
	size_t leaked = 0;
	struct timespec now;
	int n;

	srand(1);
	setlinebuf(stdout);
	for (n = 0;; n++) {
		if (n % 8 == 0)
			churn();
		if (!never && time(NULL) - begin >= wait) {
			leak_it(size);
			leaked += size;
		}
		clock_gettime(CLOCK_REALTIME, &now);
		printf("%.3f %zu\n", (double)now.tv_sec + (double)now.tv_nsec / 1e9, leaked);
		usleep(50000);
	}
}
