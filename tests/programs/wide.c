// SPDX-License-Identifier: GPL-2.0-only
/*
 * wide N: allocates with N * N * N different stacks, of three levels with N calls each.
 */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))

void *kept;

static NOINLINE void fall(int levels, int n);

/* Defines a function with one call, so that each call has its own address. */
#define STEP(name) \
static NOINLINE void name(int levels, int n) \
{ \
	fall(levels - 1, n); \
	__asm__ volatile(""); \
}

#define STEPS(digit) \
	STEP(f##digit##0) STEP(f##digit##1) STEP(f##digit##2) STEP(f##digit##3) \
	STEP(f##digit##4) STEP(f##digit##5) STEP(f##digit##6) STEP(f##digit##7) \
	STEP(f##digit##8) STEP(f##digit##9)
STEPS(0) STEPS(1) STEPS(2) STEPS(3)

#define NAMES(digit) \
	f##digit##0, f##digit##1, f##digit##2, f##digit##3, f##digit##4, \
	f##digit##5, f##digit##6, f##digit##7, f##digit##8, f##digit##9

static void (*const steps[])(int levels, int n) = {
	NAMES(0), NAMES(1), NAMES(2), NAMES(3),
};

static NOINLINE void fall(int levels, int n)
{
	int i;

	if (!levels) {
		kept = malloc(100);
		return;
	}
	for (i = 0; i < n; i++)
		steps[i](levels, n);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2;

	fall(3, n < 40 ? n : 40);
	puts("done");
	return 0;
}
