// SPDX-License-Identifier: GPL-2.0-only
/*
 * churn N: N blocks of many sizes from 64 callsites, below 4 callers each; the
 * latest 4096 live. The sizes and the order are the same each time.
 */
#include <stdint.h>
#include <stdlib.h>

#define LIVE	4096

#define FOUR(f, n)	f(n##0) f(n##1) f(n##2) f(n##3)
#define SIXTEEN(f, n)	FOUR(f, n##0) FOUR(f, n##1) FOUR(f, n##2) FOUR(f, n##3)
#define ALL(f)		SIXTEEN(f, 0) SIXTEEN(f, 1) SIXTEEN(f, 2) SIXTEEN(f, 3)

/* What follows the call keeps it from being a jump. */
#define SITE(n)								\
	static __attribute__((noinline)) void *site_##n(size_t size)	\
	{								\
		void *volatile p = malloc(size);			\
									\
		return p;						\
	}
ALL(SITE)

#define NAME(n)	site_##n,
static void *(*const sites[])(size_t) = { ALL(NAME) };

#define CALLER(n)							\
	static __attribute__((noinline)) void *caller_##n(uint64_t r)	\
	{								\
		void *volatile p = sites[r % 64]((r >> 6) % 4000);	\
									\
		return p;						\
	}
FOUR(CALLER, 0)
#define CALLER_NAME(n)	caller_##n,
static void *(*const callers[])(uint64_t) = { FOUR(CALLER_NAME, 0) };

int main(int argc, char **argv)
{
	long i, n = argc > 1 ? atol(argv[1]) : 100000;
	static void *live[LIVE];
	uint64_t r = 1;

	for (i = 0; i < n; i++) {
		r = r * 6364136223846793005ULL + 1442695040888963407ULL;
		free(live[i % LIVE]);
		live[i % LIVE] = callers[r >> 62](r >> 20);
	}
	return 0;
}
